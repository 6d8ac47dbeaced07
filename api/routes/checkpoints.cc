#include "api/arguments.h"
#include "api/checkpoint_report.h"
#include "api/routes/handlers.h"
#include "api/views.h"
#include "wire/enums.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using store::CheckpointSort;

constexpr std::pair<std::string_view, CheckpointSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", CheckpointSort::kReportTime},
    {"SORT_BY_UUID", CheckpointSort::kUuid},
    {"SORT_BY_TRIAL_ID", CheckpointSort::kTrialId},
    {"SORT_BY_BATCH_NUMBER", CheckpointSort::kSteps},
    {"SORT_BY_END_TIME", CheckpointSort::kReportTime},
    {"SORT_BY_STATE", CheckpointSort::kState},
    {"SORT_BY_SEARCHER_METRIC", CheckpointSort::kSearcherMetric},
};

std::optional<CheckpointSort> parse_sort(std::string_view word) {
  for (const auto& [name, sort] : kSorts) {
    if (name == word) return sort;
  }
  return std::nullopt;
}

Result<store::CheckpointQuery> read_query(const http::Params& params) {
  QueryArguments arguments(params);
  store::CheckpointQuery query;
  query.states = arguments.words("states", wire::parse_checkpoint_state);
  auto sorts = arguments.words("sortByAttr", parse_sort);
  if (sorts.empty()) sorts = arguments.words("sortBy", parse_sort);  // clients of 0.19
  if (!sorts.empty()) query.sort = sorts.front();
  if (const auto metric = arguments.text("sortByMetric"); metric && !metric->empty()) {
    query.sort = CheckpointSort::kMetric;
    query.metric = *metric;
  }
  query.order = arguments.order();
  query.page = arguments.page();
  if (!arguments.status()) return std::unexpected(arguments.status().error());
  return query;
}

Task<Result<http::Response>> list(Services& services, store::CheckpointQuery query) {
  const store::Page page = query.page;
  const auto found = co_await services.stores.checkpoints.list(std::move(query));
  if (!found) co_return std::unexpected(found.error());
  wire::Json items = wire::Json::array();
  for (const auto& view : found->items) items.push_back(wire::to_json(to_wire(view)));
  co_return ok({{"checkpoints", items}, {"pagination", pagination(page, *found)}});
}

}  // namespace

Task<Result<http::Response>> report_checkpoint(Services& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  if (!body) co_return std::unexpected(body.error());
  auto checkpoint = read_checkpoint_report(*body, services.clock.wall_now());
  if (!checkpoint) co_return std::unexpected(checkpoint.error());
  const Status kept = co_await services.stores.checkpoints.report(std::move(*checkpoint));
  if (!kept) co_return std::unexpected(kept.error());
  co_return ok();
}

Task<Result<http::Response>> patch_checkpoints(Services& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  if (!body) co_return std::unexpected(body.error());
  auto patches = read_checkpoint_patches(*body);
  if (!patches) co_return std::unexpected(patches.error());
  for (const CheckpointPatch& patch : *patches) {
    const Status done = co_await services.stores.checkpoints.patch_resources(patch.uuid, patch.remaining);
    if (!done) co_return std::unexpected(done.error());
  }
  co_return ok();
}

Task<Result<http::Response>> get_checkpoint(Services& services, Call call) {
  const std::string uuid = path_text(call.request, "uuid");
  std::unexpected<Error> not_found = fail(ErrorCode::kNotFound, "checkpoint '" + uuid + "' not found");
  if (!is_uuid(uuid)) co_return not_found;
  const auto view = co_await services.stores.checkpoints.find(uuid);
  if (!view) co_return std::unexpected(view.error());
  if (!*view) co_return not_found;
  co_return ok({{"checkpoint", wire::to_json(to_wire(**view))}});
}

// Deleting means deleting files, which are in the user's storage and out of our reach.
Task<Result<http::Response>> delete_checkpoints(Services&, Call) {
  co_return fail(
      ErrorCode::kUnimplemented,
      "this version does not delete checkpoints: their files are in the checkpoint storage, each in a folder "
      "named by its UUID, and may be deleted there");
}

Task<Result<http::Response>> experiment_checkpoints(Services& services, Call call) {
  const auto id = path_id(call.request);
  if (!id) co_return std::unexpected(id.error());
  auto query = read_query(call.request.query);
  if (!query) co_return std::unexpected(query.error());
  query->experiment = model::ExperimentId{*id};
  const auto experiment = co_await services.stores.experiments.find(*query->experiment);
  if (!experiment) co_return std::unexpected(experiment.error());
  if (!*experiment) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  co_return co_await list(services, std::move(*query));
}

Task<Result<http::Response>> trial_checkpoints(Services& services, Call call) {
  const auto id = path_id(call.request);
  if (!id) co_return std::unexpected(id.error());
  auto query = read_query(call.request.query);
  if (!query) co_return std::unexpected(query.error());
  query->trial = model::TrialId{*id};
  const auto trial = co_await services.stores.trials.find(*query->trial);
  if (!trial) co_return std::unexpected(trial.error());
  if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(*id) + "' not found");
  co_return co_await list(services, std::move(*query));
}

}  // namespace det::api::routes
