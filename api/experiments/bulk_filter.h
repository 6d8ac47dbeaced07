#pragma once

// Which experiments a request is about that is about many: "experimentIds", or "filters" (v1BulkExperimentFilters),
// which counts where both are given; and the project of its path. Belongs to the io thread.

#include <optional>
#include <vector>

#include "api/call.h"
#include "wire/request_fields.h"

namespace det::api {

// Nothing when there are none.
[[nodiscard]] Result<std::optional<store::ExperimentFilter>> read_bulk_filter(wire::RequestFields& fields);

// kInvalidArgument for more than kMostAtOnce.
Task<Result<std::vector<model::ExperimentId>>> find_filtered(ApiServices& services, store::ExperimentFilter filter);

struct BulkChoice {
  std::vector<std::int64_t> ids;
  std::optional<store::ExperimentFilter> filter;
};
[[nodiscard]] Result<BulkChoice> read_bulk_choice(wire::RequestFields& fields);

// {id} of the path; nothing for 0 and -1: experiments of any project.
[[nodiscard]] Result<std::optional<model::ProjectId>> bulk_project(const http::Request& request);

// Ids as they are given; by a filter those where the caller has `needed`, of `project`.
Task<Result<std::vector<model::ExperimentId>>> find_chosen(ApiServices& services, Identity caller, BulkChoice choice,
                                                           model::Permission needed,
                                                           std::optional<model::ProjectId> project);

// That there is this one in `project`, and that the caller has `needed` for it.
Task<Status> check_chosen(ApiServices& services, Identity caller, model::ExperimentId id, model::Permission needed,
                          std::optional<model::ProjectId> project);

}  // namespace det::api
