#pragma once

// What the runner of a custom search hears and says, in the words of Determined's REST protocol up to 0.37. Pure.

#include "base/result.h"
#include "searcher/search_method.h"
#include "store/search/custom_search_store.h"
#include "wire/forms.h"

namespace det::api {

// v1SearcherEvent: {"id":3,"trialCreated":{"requestId":..}}.
[[nodiscard]] wire::Json to_wire(const store::RunnerEvent& event);
// What is answered when the experiment does not run: an event of id -1 that says its state.
[[nodiscard]] wire::Json inactive_event(std::string_view state);

// v1PostSearcherOperationsRequest. kInvalidArgument, naming the field, for what is no operation.
[[nodiscard]] Result<searcher::Commanded> read_commands(const wire::Json& body);

}  // namespace det::api
