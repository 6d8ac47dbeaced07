#include <algorithm>
#include <memory>
#include <numeric>

#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/checkpoints/checkpoint_json.h"
#include "api/checkpoints/checkpoint_report.h"
#include "api/checkpoints/routes.h"
#include "api/paged_answer.h"
#include "base/uuid.h"
#include "wire/enums.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

using store::CheckpointSort;

constexpr std::size_t kAtOnce = 50;  // they bring their experiments' configurations

constexpr std::pair<std::string_view, CheckpointSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", CheckpointSort::kTrialId},
    {"SORT_BY_UUID", CheckpointSort::kUuid},
    {"SORT_BY_TRIAL_ID", CheckpointSort::kTrialId},
    {"SORT_BY_BATCH_NUMBER", CheckpointSort::kSteps},
    {"SORT_BY_END_TIME", CheckpointSort::kReportTime},
    {"SORT_BY_STATE", CheckpointSort::kState},
    {"SORT_BY_SEARCHER_METRIC", CheckpointSort::kSearcherMetric},
};

Result<store::CheckpointQuery> read_query(const http::Params& params) {
  QueryArguments arguments(params);
  store::CheckpointQuery query;
  query.states = arguments.words("states", wire::parse_checkpoint_state, "a state like STATE_COMPLETED");
  auto sorts = arguments.words("sortByAttr", kSorts);
  if (sorts.empty()) sorts = arguments.words("sortBy", kSorts);  // clients of 0.19
  query.sort = sorts.empty() ? CheckpointSort::kTrialId : sorts.front();
  if (const auto metric = arguments.text("sortByMetric"); metric && !metric->empty()) {
    query.sort = CheckpointSort::kMetric;
    query.metric = *metric;
  }
  query.order = arguments.order();
  query.page = arguments.page();
  DET_TRY(arguments.status());
  return query;
}

// A checkpoint GC says what it left of the checkpoints that it was started for, whoever made them.
Task<Result<bool>> is_removed_by(ApiServices& services, const Identity& caller, std::vector<std::string> uuids) {
  if (!caller.run) co_return false;
  const auto removal = co_await services.stores.removals.of_task(caller.run->task_id);
  DET_CO_TRY(removal);
  if (!*removal) co_return false;
  co_return std::ranges::all_of(uuids, [&](const std::string& uuid) {
    return std::ranges::binary_search((**removal).uuids, canonical_uuid(uuid));
  });
}

Task<Result<std::string>> checkpoints_text(ApiServices& services, std::vector<std::string> uuids, std::string metric,
                                           store::UserRow reader) {
  auto views = co_await services.stores.checkpoints.views(std::move(uuids), std::move(metric));
  DET_CO_TRY(views);
  auto work = [views = std::move(*views), reader = std::move(reader)] {
    std::vector<wire::Json> entries;
    for (const store::CheckpointView& view : views) entries.push_back(checkpoint_json(view, reader));
    return joined(entries);
  };
  co_return co_await run_guarded(services.workers, std::move(work));
}

Task<Result<http::Response>> list(ApiServices& services, store::CheckpointQuery query, Identity reader) {
  const store::Page page = query.page;
  const std::string metric = query.named_metric();
  auto found = co_await services.stores.checkpoints.list_uuids(std::move(query));
  DET_CO_TRY(found);
  ListAnswer list{.name = "checkpoints",
                  .ids = std::vector<std::int64_t>(found->items.size()),
                  .pagination = pagination_of(page, *found),
                  .page = kAtOnce};
  std::iota(list.ids.begin(), list.ids.end(), 0);
  auto uuids = std::make_shared<const std::vector<std::string>>(std::move(found->items));
  PageText read = [&services, uuids, metric, user = reader.user](std::vector<std::int64_t> places) {
    std::vector<std::string> some;
    for (const std::int64_t place : places) some.push_back((*uuids)[static_cast<std::size_t>(place)]);
    return checkpoints_text(services, std::move(some), metric, user);
  };
  co_return co_await answer_by_pages(std::move(list), std::move(read));
}

}  // namespace

Task<Result<http::Response>> report_checkpoint(ApiServices& services, Call call) {
  auto read = [now = services.clock.wall_now()](std::string_view body) -> Result<store::CheckpointRow> {
    const auto json = wire::parse_body(body);
    DET_TRY(json);
    return read_checkpoint_report(*json, now);
  };
  auto checkpoint = co_await read_body(services, call.request, std::move(read));
  DET_CO_TRY(checkpoint);
  DET_CO_TRY(co_await check_task(services, call.caller, checkpoint->task_id));
  DET_CO_TRY(co_await services.stores.checkpoints.report(std::move(*checkpoint)));
  co_return ok();
}

Task<Result<http::Response>> patch_checkpoints(ApiServices& services, Call call) {
  struct Request {
    store::CheckpointPatches patches;
    std::vector<std::string> uuids;  // of all of them
  };
  const auto read = [](std::string_view body) -> Result<Request> {
    const auto json = wire::parse_body(body);
    DET_TRY(json);
    auto patches = read_checkpoint_patches(*json);
    DET_TRY(patches);
    Request request{.patches = std::move(*patches)};
    for (const auto& [uuid, remaining] : request.patches) request.uuids.push_back(uuid);
    return request;
  };
  auto request = co_await read_body(services, call.request, read);
  DET_CO_TRY(request);
  const auto is_removed = co_await is_removed_by(services, call.caller, request->uuids);
  DET_CO_TRY(is_removed);
  if (!*is_removed) {
    const auto tasks = co_await services.stores.checkpoints.tasks_of(std::move(request->uuids));
    DET_CO_TRY(tasks);
    for (const std::string& task : *tasks) {
      DET_CO_TRY(co_await check_task(services, call.caller, task));
    }
  }
  DET_CO_TRY(co_await services.stores.checkpoints.patch(std::move(request->patches)));
  co_return ok();
}

Task<Result<http::Response>> get_checkpoint(ApiServices& services, Call call) {
  const std::string uuid = path_text(call.request, "uuid");
  std::unexpected<Error> not_found = fail(ErrorCode::kNotFound, "checkpoint '" + uuid + "' not found");
  if (!is_uuid(uuid)) co_return not_found;
  const auto view = co_await services.stores.checkpoints.find(uuid);
  DET_CO_TRY(view);
  if (!*view) co_return not_found;
  co_return ok({{"checkpoint", checkpoint_json(**view, call.caller.user)}});
}

Task<Result<http::Response>> set_checkpoint_metadata(ApiServices& services, Call call) {
  const std::string uuid = path_text(call.request, "uuid");
  if (!is_uuid(uuid)) co_return fail(ErrorCode::kNotFound, "checkpoint '" + uuid + "' not found");
  const auto read = [](std::string_view body) -> Result<wire::Json> {
    const auto json = wire::parse_body(body);
    DET_TRY(json);
    wire::RequestFields fields(*json);
    wire::RequestFields checkpoint = fields.object("checkpoint");
    const wire::Json* metadata = checkpoint.any("metadata");
    DET_TRY(fields.status());
    DET_TRY(checkpoint.status());
    if (metadata != nullptr && metadata->is_object()) return *metadata;
    return fail(ErrorCode::kInvalidArgument, "checkpoint.metadata: must be an object", "checkpoint.metadata");
  };
  auto metadata = co_await read_body(services, call.request, read);
  DET_CO_TRY(metadata);
  DET_CO_TRY(co_await services.stores.checkpoints.set_metadata(uuid, std::move(*metadata)));
  call.note.object = "checkpoints/" + uuid;
  co_return co_await get_checkpoint(services, std::move(call));
}

Task<Result<http::Response>> experiment_checkpoints(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto query = read_query(call.request.query);
  DET_CO_TRY(query);
  query->experiment = model::ExperimentId{*id};
  const auto experiment = co_await services.stores.experiments.find(*query->experiment);
  DET_CO_TRY(experiment);
  if (!*experiment) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  co_return co_await list(services, std::move(*query), call.caller);
}

Task<Result<http::Response>> trial_checkpoints(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto query = read_query(call.request.query);
  DET_CO_TRY(query);
  query->trial = model::TrialId{*id};
  const auto trial = co_await services.stores.trials.find(*query->trial);
  DET_CO_TRY(trial);
  if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(*id) + "' not found");
  co_return co_await list(services, std::move(*query), call.caller);
}

}  // namespace det::api::routes
