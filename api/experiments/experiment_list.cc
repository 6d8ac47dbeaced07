#include "api/access_check.h"
#include "api/arguments.h"
#include "api/experiments/experiment_texts.h"
#include "api/experiments/routes.h"
#include "api/paged_answer.h"
#include "base/guarded_work.h"
#include "wire/enums.h"

namespace det::api::routes {

namespace {

using store::ExperimentSort;

constexpr std::pair<std::string_view, ExperimentSort> kSorts[] = {
    {"SORT_BY_UNSPECIFIED", ExperimentSort::kId},
    {"SORT_BY_ID", ExperimentSort::kId},
    {"SORT_BY_DESCRIPTION", ExperimentSort::kDescription},
    {"SORT_BY_START_TIME", ExperimentSort::kStartTime},
    {"SORT_BY_END_TIME", ExperimentSort::kEndTime},
    {"SORT_BY_STATE", ExperimentSort::kState},
    {"SORT_BY_NUM_TRIALS", ExperimentSort::kNumTrials},
    {"SORT_BY_PROGRESS", ExperimentSort::kProgress},
    {"SORT_BY_USER", ExperimentSort::kUser},
    {"SORT_BY_NAME", ExperimentSort::kName},
    {"SORT_BY_FORKED_FROM", ExperimentSort::kForkedFrom},
    {"SORT_BY_RESOURCE_POOL", ExperimentSort::kResourcePool},
    {"SORT_BY_PROJECT_ID", ExperimentSort::kProjectId},
    {"SORT_BY_CHECKPOINT_SIZE", ExperimentSort::kCheckpointSize},
    {"SORT_BY_CHECKPOINT_COUNT", ExperimentSort::kCheckpointCount},
    {"SORT_BY_SEARCHER_METRIC_VAL", ExperimentSort::kSearcherMetric},
};

constexpr std::size_t kAtOnce = 50;  // they bring their configurations
constexpr std::int64_t kDefaultLimit = 100;
constexpr std::int64_t kAll = -1;
constexpr std::int64_t kNone = -2;

// "experimentIdFilter.gte" and so on.
store::IdFilter read_ids(QueryArguments& query) {
  store::IdFilter ids;
  ids.above = query.integer("experimentIdFilter.gt");
  ids.at_least = query.integer("experimentIdFilter.gte");
  ids.below = query.integer("experimentIdFilter.lt");
  ids.at_most = query.integer("experimentIdFilter.lte");
  ids.among = query.integers("experimentIdFilter.incl");
  ids.not_among = query.integers("experimentIdFilter.notIn");
  return ids;
}

Result<store::ExperimentFilter> read_filter(const http::Params& params) {
  QueryArguments query(params);
  store::ExperimentFilter filter;
  filter.archived = query.boolean("archived");
  filter.users = query.texts("users");
  for (const std::int64_t id : query.integers("userIds")) filter.user_ids.push_back({id});
  filter.states = query.words("states", wire::parse_experiment_state, "a state like STATE_COMPLETED");
  filter.name = query.text("name").value_or("");
  filter.description = query.text("description").value_or("");
  filter.labels = query.texts("labels");
  if (const auto project = query.integer("projectId"); project && *project != 0) {
    filter.project = model::ProjectId{*project};
  }
  if (const auto sorts = query.words("sortBy", kSorts); !sorts.empty()) filter.sort = sorts.front();
  filter.order = query.order().value_or(store::Order::kAscending);
  filter.ids = read_ids(query);
  filter.page.offset = query.integer("offset").value_or(0);
  DET_TRY(query.status());
  return filter;
}

Result<std::int64_t> read_limit(const http::Params& params) {
  QueryArguments query(params);
  const std::int64_t limit = query.integer("limit").value_or(0);
  DET_TRY(query.status());
  if (limit >= kNone) return limit;
  return fail(ErrorCode::kInvalidArgument,
              "limit: '" + std::to_string(limit) +
                  "' is neither a number of entries nor 0 (100 of them), -1 (all) or -2 (none)",
              "limit");
}

store::Page page_of(std::int64_t offset, std::int64_t limit) {
  if (limit == kAll) return {.offset = offset, .limit = 0};
  if (limit == kNone) return {.offset = offset, .limit = 1};  // it is not shown
  return {.offset = offset, .limit = limit == 0 ? kDefaultLimit : limit};
}

Task<Result<std::string>> experiments_text(ApiServices& services, std::vector<std::int64_t> ids) {
  auto views = co_await services.stores.experiments.unread_views(std::move(ids));
  DET_CO_TRY(views);
  auto work = [&services, views = std::move(*views)] {
    std::vector<std::string> entries;
    for (const auto& view : views) entries.push_back(services.experiment_texts.text_of(services, view));
    return joined(entries);
  };
  co_return co_await run_guarded(services.workers, std::move(work));
}

}  // namespace

// showTrialData asks for the best trial's metric, which every entry has.
Task<Result<http::Response>> list_experiments(ApiServices& services, Call call) {
  auto filter = read_filter(call.request.query);
  DET_CO_TRY(filter);
  const auto limit = read_limit(call.request.query);
  DET_CO_TRY(limit);
  const std::int64_t offset = filter->page.offset;
  filter->page = page_of(offset, *limit);
  filter->visible = visible(call.caller, model::Permission::kViewExperimentMetadata);
  const auto found = co_await services.stores.experiments.ids(std::move(*filter));
  DET_CO_TRY(found);
  ListAnswer list{.name = "experiments", .ids = {}, .pagination = {}, .page = kAtOnce};
  if (*limit != kNone) {
    for (const model::ExperimentId id : found->items) list.ids.push_back(id.value);
  }
  list.pagination = {.offset = found->offset,
                     .limit = *limit,
                     .start = found->offset,
                     .end = found->offset + static_cast<std::int64_t>(list.ids.size()),
                     .total = found->total};
  const PageText read = [&services](std::vector<std::int64_t> ids) {
    return experiments_text(services, std::move(ids));
  };
  co_return co_await answer_by_pages(std::move(list), read);
}

}  // namespace det::api::routes
