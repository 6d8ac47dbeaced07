#include "api/experiments/bulk_filter.h"

#include "api/access_check.h"
#include "api/arguments.h"
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
      return fail(ErrorCode::kInvalidArgument, "filters.states: '" + word + "' is not a state like STATE_COMPLETED",
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

Result<BulkChoice> read_bulk_choice(wire::RequestFields& fields) {
  BulkChoice choice;
  auto ids = read_id_list(fields.any("experimentIds"), "experimentIds");
  DET_TRY(ids);
  choice.ids = std::move(*ids);
  auto filter = read_bulk_filter(fields);
  DET_TRY(filter);
  choice.filter = std::move(*filter);
  return choice;
}

Result<std::optional<model::ProjectId>> bulk_project(const http::Request& request) {
  const std::string path = path_text(request, "id");
  if (path == "0" || path == "-1") return std::nullopt;
  const auto id = path_id(request);
  DET_TRY(id);
  return model::ProjectId{*id};
}

Task<Result<std::vector<model::ExperimentId>>> find_chosen(ApiServices& services, Identity caller, BulkChoice choice,
                                                           model::Permission needed,
                                                           std::optional<model::ProjectId> project) {
  if (!choice.filter) {
    std::vector<model::ExperimentId> ids;
    for (const std::int64_t id : choice.ids) ids.push_back({id});
    co_return ids;
  }
  if (project) choice.filter->project = *project;
  choice.filter->visible = visible(caller, needed);
  co_return co_await find_filtered(services, std::move(*choice.filter));
}

Task<Status> check_chosen(ApiServices& services, Identity caller, model::ExperimentId id, model::Permission needed,
                          std::optional<model::ProjectId> project) {
  const auto row = co_await services.stores.experiments.find(id);
  DET_CO_TRY(row);
  if (!*row || (project && (**row).project != *project)) {
    co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(id) + "' not found");
  }
  std::vector<std::int64_t> ids = {id.value};
  co_return co_await require_experiments(services, std::move(caller), std::move(ids), needed);
}

}  // namespace det::api
