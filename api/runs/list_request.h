#pragma once

// What is asked of a list of runs or experiments. Belongs to the io thread.

#include <string>

#include "api/call.h"
#include "store/listing/run_list_store.h"
#include "wire/request_fields.h"

namespace det::api {

// "filter", "sort", "offset", "limit" and "projectId" of a body.
[[nodiscard]] Result<store::ListSearch> read_list_request(wire::RequestFields& fields, store::ListPlace of,
                                                          const Settings& settings);
// "filter" alone; nothing when it is not there.
[[nodiscard]] Result<std::optional<store::ListFilter>> read_filter_text(wire::RequestFields& fields);

// kNotFound when there is no such project.
Task<Result<store::ProjectRow>> find_project(ApiServices& services, model::ProjectId id);
// The same for who needs no more than that it is there: the row has counts of all that is in the project.
Task<Status> check_project(ApiServices& services, model::ProjectId id);

[[nodiscard]] wire::Pagination pagination_of(std::int64_t offset, std::int64_t limit, const store::ListedIds& found);

}  // namespace det::api
