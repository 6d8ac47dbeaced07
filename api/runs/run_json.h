#pragma once

// A run as the wire has it (v1FlatRun). Pure.

#include "store/listing/run_list_store.h"
#include "wire/forms.h"

namespace det::api {

// `default_pool`: what experiments run in that name none.
[[nodiscard]] wire::Json run_json(const store::RunRow& row, const std::string& default_pool);

}  // namespace det::api
