#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "api/arguments.h"
#include "api/experiments/object_edit.h"
#include "api/metric_group.h"
#include "api/paged_answer.h"
#include "api/trials/routes.h"
#include "api/views.h"
#include "base/guarded_work.h"
#include "base/json_get.h"
#include "base/json_reader.h"
#include "base/uuid.h"
#include "wire/enums.h"

namespace det::api::routes {

namespace {

using store::TrialSort;

constexpr std::pair<std::string_view, TrialSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", TrialSort::kId},
    {"SORT_BY_ID", TrialSort::kId},
    {"SORT_BY_START_TIME", TrialSort::kStartTime},
    {"SORT_BY_END_TIME", TrialSort::kEndTime},
    {"SORT_BY_STATE", TrialSort::kState},
    {"SORT_BY_BEST_VALIDATION_METRIC", TrialSort::kBestMetric},
    {"SORT_BY_LATEST_VALIDATION_METRIC", TrialSort::kLatestMetric},
    {"SORT_BY_BATCHES_PROCESSED", TrialSort::kBatches},
    {"SORT_BY_DURATION", TrialSort::kDuration},
    {"SORT_BY_RESTARTS", TrialSort::kRestarts},
    {"SORT_BY_CHECKPOINT_SIZE", TrialSort::kCheckpointSize},
    {"SORT_BY_LOG_RETENTION_DAYS", TrialSort::kLogRetention},
};

std::unexpected<Error> not_found(std::int64_t id) {
  return fail(ErrorCode::kNotFound, "trial '" + std::to_string(id) + "' not found");
}

// The checkpoint that a trial without a run yet would start from; empty: none. The operator chooses it with the first
// run.
Task<Result<std::string>> coming_warm_start(ApiServices& services, model::ExperimentId id) {
  const auto experiment = co_await services.stores.experiments.find(id);
  DET_CO_TRY(experiment);
  if (!*experiment) co_return std::string();
  const wire::Json& searcher = get_object((*experiment)->config, "searcher");
  std::optional<model::TrialId> trial;
  if (const auto number = whole_number(get_any(searcher, "source_trial_id"))) trial = model::TrialId{*number};
  std::optional<std::string> uuid;
  if (std::string named = get_string(searcher, "source_checkpoint_uuid"); is_uuid(named)) uuid = std::move(named);
  auto found = co_await services.stores.checkpoints.warm_start(std::move(uuid), trial);
  // It is gone since: what that means for the trial is said when it starts.
  if (!found && found.error().code == ErrorCode::kInvalidArgument) co_return std::string();
  co_return found;
}

struct WorkloadKinds {
  bool training = true, validation = true, checkpoints = true;
};
constexpr std::pair<std::string_view, WorkloadKinds> kKindFilters[] = {
    {"FILTER_OPTION_UNSPECIFIED", {}},
    {"FILTER_OPTION_CHECKPOINT", {.training = false}},  // pages join the metrics of these batches
    {"FILTER_OPTION_VALIDATION", {.training = false, .checkpoints = false}},
    {"FILTER_OPTION_CHECKPOINT_OR_VALIDATION", {.training = false}},
};

// Which workloads are asked for: old and new names of the same filters.
Status read_kinds(QueryArguments& arguments, store::WorkloadQuery& query) {
  const auto filters = arguments.words("filter", kKindFilters);
  const WorkloadKinds kinds = filters.empty() ? WorkloadKinds() : filters.front();
  const auto group = read_metric_group(arguments);
  DET_TRY(group);
  query.training = kinds.training && (group->empty() || *group == "training");
  query.validation = kinds.validation && (group->empty() || *group == "validation");
  query.checkpoints = kinds.checkpoints;
  return {};
}

using Sums = std::map<model::TrialId, store::MetricSummaries>;

// With what its log is kept for where nothing but the cluster says it.
wire::Trial shown(const store::TrialView& view, const model::MasterConfig& master) {
  wire::Trial trial = to_wire(view);
  if (!trial.log_retention_days) trial.log_retention_days = master.log_retention.days;
  return trial;
}

// A page is found by counting up to it, so that few large ones cost less than many small ones.
constexpr std::size_t kWorkloadsAtOnce = 5'000;

Task<Result<std::string>> workloads_text(ApiServices& services, std::vector<store::WorkloadRow> rows,
                                         bool with_batches) {
  auto work = [rows = std::move(rows), with_batches] {
    std::vector<wire::Json> entries;
    for (const store::WorkloadRow& row : rows) entries.push_back(wire::to_json(to_wire(row, with_batches)));
    return joined(entries);
  };
  co_return co_await run_guarded(services.workers, std::move(work));
}

Task<Result<http::Response>> answer_workloads(ApiServices& services, store::WorkloadQuery query, bool with_batches) {
  const store::Page asked = query.page;
  const std::int64_t at_once = kWorkloadsAtOnce;
  query.page.limit = asked.limit > 0 ? std::min(asked.limit, at_once) : at_once;
  auto first = co_await services.stores.metrics.workloads(query);
  DET_CO_TRY(first);
  const std::int64_t total = first->total;
  const std::int64_t rest = total - first->offset;
  ListAnswer list{.name = "workloads", .ids = {}, .pagination = {}, .page = kWorkloadsAtOnce};
  list.ids.resize(static_cast<std::size_t>(asked.limit > 0 ? std::min(asked.limit, rest) : rest));
  std::iota(list.ids.begin(), list.ids.end(), first->offset);
  list.pagination = {.offset = first->offset,
                     .limit = asked.limit,
                     .start = first->offset,
                     .end = first->offset + std::ssize(list.ids),
                     .total = total};
  const auto start = first->offset;
  auto rows = std::make_shared<std::vector<store::WorkloadRow>>(std::move(first->items));
  const PageText read = [&services, query, with_batches, total, start,
                         rows](std::vector<std::int64_t> places) -> Task<Result<std::string>> {
    if (places.front() == start) co_return co_await workloads_text(services, std::exchange(*rows, {}), with_batches);
    store::WorkloadQuery next = query;
    // Counted from the end that new reports do not come to.
    const bool comes_first = query.order == store::Order::kDescending && query.sort_metric.empty();
    next.page = {.offset = comes_first ? places.front() - total : places.front(), .limit = std::ssize(places)};
    auto page = co_await services.stores.metrics.workloads(std::move(next));
    DET_CO_TRY(page);
    co_return co_await workloads_text(services, std::move(page->items), with_batches);
  };
  co_return co_await answer_by_pages(std::move(list), read);
}

// The sums of lists are brought up to date once, not by each page of them. After an upgrade there may be more to add up
// than a list waits for: it shows what there is.
Task<Status> refresh_sums(ApiServices& services) {
  Status fresh = co_await services.stores.run_sums.refresh();
  if (!fresh && fresh.error().code != ErrorCode::kUnavailable) co_return fresh;
  co_return Status();
}

Task<Result<std::string>> trials_text(ApiServices& services, std::vector<std::int64_t> ids, bool with_sums) {
  Sums sums;
  if (with_sums) {
    auto found = co_await services.stores.run_sums.find(ids);
    DET_CO_TRY(found);
    sums = std::move(*found);
  }
  auto views = co_await services.stores.trials.views(std::move(ids));
  DET_CO_TRY(views);
  auto work = [views = std::move(*views), sums = std::move(sums), &master = services.settings.master] {
    std::vector<wire::Json> entries;
    for (const store::TrialView& view : views) {
      wire::Trial trial = shown(view, master);
      if (const auto found = sums.find(view.row.id); found != sums.end()) {
        trial.summary = wire::summary_metrics(to_wire(found->second));
      }
      entries.push_back(wire::to_json(trial));
    }
    return joined(entries);
  };
  co_return co_await run_guarded(services.workers, std::move(work));
}

}  // namespace

Task<Result<http::Response>> list_trials(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  QueryArguments arguments(call.request.query);
  store::TrialQuery query;
  query.experiment = model::ExperimentId{*id};
  query.states = arguments.words("states", wire::parse_trial_state, "a state like STATE_COMPLETED");
  if (const auto sorts = arguments.words("sortBy", kSorts); !sorts.empty()) query.sort = sorts.front();
  query.order = arguments.order().value_or(store::Order::kAscending);
  query.page = arguments.page();
  const bool with_sums = arguments.boolean("includeSummaryMetrics").value_or(true);
  DET_CO_TRY(arguments.status());
  const auto experiment = co_await services.stores.experiments.find(query.experiment);
  DET_CO_TRY(experiment);
  if (!*experiment) co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(*id) + "' not found");
  const store::Page page = query.page;
  auto found = co_await services.stores.trials.list_ids(std::move(query));
  DET_CO_TRY(found);
  wire::Pagination pages = pagination_of(page, *found);
  if (with_sums && !found->items.empty()) DET_CO_TRY(co_await refresh_sums(services));
  const PageText read = [&services, with_sums](std::vector<std::int64_t> ids) {
    return trials_text(services, std::move(ids), with_sums);
  };
  ListAnswer list{.name = "trials", .ids = std::move(found->items), .pagination = std::move(pages)};
  co_return co_await answer_by_pages(std::move(list), read);
}

Task<Result<http::Response>> get_trial(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto view = co_await services.stores.trials.view(model::TrialId{*id});
  DET_CO_TRY(view);
  if (!*view) co_return not_found(*id);
  const auto summary = co_await services.stores.metrics.summary(model::TrialId{*id});
  DET_CO_TRY(summary);
  const auto metadata = co_await services.stores.run_metadata.find(model::TrialId{*id});
  DET_CO_TRY(metadata);
  wire::Trial trial = shown(**view, services.settings.master);
  trial.summary = wire::summary_metrics(to_wire(*summary));
  if (trial.warm_start_checkpoint.empty() && (**view).row.run == 0) {
    auto start = co_await coming_warm_start(services, (**view).row.experiment);
    DET_CO_TRY(start);
    trial.warm_start_checkpoint = std::move(*start);
  }
  wire::Json json = wire::to_json(trial);
  if (!metadata->empty()) json["metadata"] = *metadata;
  co_return ok({{"trial", std::move(json)}});
}

Task<Result<http::Response>> trial_workloads(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  QueryArguments arguments(call.request.query);
  store::WorkloadQuery query;
  query.trial = model::TrialId{*id};
  query.order = arguments.order().value_or(store::Order::kAscending);
  query.page = arguments.page();
  DET_CO_TRY(read_kinds(arguments, query));
  query.sort_metric = arguments.text("sortKey").value_or("");
  if (query.sort_metric == "batches") query.sort_metric.clear();
  query.deleted_checkpoints = !arguments.boolean("removeDeletedCheckpoints").value_or(false);
  const bool with_batches = arguments.boolean("includeBatchMetrics").value_or(false);
  DET_CO_TRY(arguments.status());
  const auto trial = co_await services.stores.trials.find(query.trial);
  DET_CO_TRY(trial);
  if (!*trial) co_return not_found(*id);
  co_return co_await answer_workloads(services, std::move(query), with_batches);
}

Task<Result<http::Response>> kill_trial(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto trial = co_await services.stores.trials.find(model::TrialId{*id});
  DET_CO_TRY(trial);
  if (!*trial) co_return not_found(*id);
  if (model::is_terminal((*trial)->state)) co_return ok();
  auto experiment = co_await services.stores.experiments.find((*trial)->experiment);
  DET_CO_TRY(experiment);
  if (!*experiment) co_return not_found(*id);
  DET_CO_TRY(co_await kill_trial_of(services, std::move(**experiment), model::TrialId{*id}));
  co_return ok();
}

}  // namespace det::api::routes
