#include "api/experiments/bulk_filter.h"

#include "api/id_list.h"
#include "wire/enums.h"

namespace det::api {

namespace {

Result<store::ExperimentFilter> read_filter(wire::RequestFields& fields) {
  store::ExperimentFilter filter;
  filter.name = fields.string("name").value_or("");
  filter.description = fields.string("description").value_or("");
  filter.labels = fields.strings("labels").value_or(std::vector<std::string>());
  filter.archived = fields.boolean("archived");
  const auto states = fields.strings("states").value_or(std::vector<std::string>());
  if (const auto project = fields.integer("projectId"); project && *project != 0) {
    filter.project = model::ProjectId{*project};
  }
  DET_TRY(fields.status());
  for (const std::string& word : states) {
    const auto state = wire::parse_experiment_state(word);
    if (!state) {
      return fail(ErrorCode::kInvalidArgument, "filters.states: '" + word + "' is not one of the words of the API",
                  "filters.states");
    }
    filter.states.push_back(*state);
  }
  const auto users = read_id_list(fields.any("userIds"), "filters.userIds");
  DET_TRY(users);
  for (const std::int64_t id : *users) filter.user_ids.push_back({id});
  auto excluded = read_id_list(fields.any("excludedExperimentIds"), "filters.excludedExperimentIds");
  DET_TRY(excluded);
  filter.ids.not_among = std::move(*excluded);
  return filter;
}

}  // namespace

Result<std::optional<store::ExperimentFilter>> read_bulk_filter(wire::RequestFields& fields) {
  wire::RequestFields filters = fields.object("filters");
  DET_TRY(fields.status());
  if (fields.any("filters") == nullptr) return std::nullopt;
  auto filter = read_filter(filters);
  DET_TRY(filter);
  return std::move(*filter);
}

Task<Result<std::vector<model::ExperimentId>>> find_filtered(ApiServices& services, store::ExperimentFilter filter) {
  filter.page.limit = kMostAtOnce;
  auto found = co_await services.stores.experiments.ids(std::move(filter));
  DET_CO_TRY(found);
  if (found->total > static_cast<std::int64_t>(kMostAtOnce)) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "filters: " + std::to_string(found->total) + " experiments are more than the " +
                       std::to_string(kMostAtOnce) + " of one request: a narrower filter, or several, would do",
                   "filters");
  }
  co_return std::move(found->items);
}

}  // namespace det::api
