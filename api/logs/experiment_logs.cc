// GET /api/v1/experiments/{id}/logs: a route of ours. The lines of all trials together, the newest first:
//   {"result": v1TrialLogsResponse}         a line, with the number of its trial
//   {"result": {"next": PLACE}}             the last message, where there are older lines: `before` for the next
//   request

#include <algorithm>

#include "api/arguments.h"
#include "api/experiments/named_experiment.h"
#include "api/logs/log_count.h"
#include "api/logs/log_lines.h"
#include "api/logs/merged_log.h"
#include "api/logs/routes.h"
#include "api/views.h"
#include "base/race.h"
#include "wire/log_record.h"

namespace det::api::routes {

namespace {

constexpr std::int64_t kTrials = 1'000;  // the newest
constexpr std::int64_t kUsual = 1'000;
constexpr std::int64_t kMostLines = 2'000;
constexpr std::chrono::seconds kLongest{10};

Task<Result<std::vector<MergedTrial>>> newest_trials(ApiServices& services, model::ExperimentId experiment) {
  store::TrialQuery query{.experiment = experiment,
                          .states = {},
                          .sort = store::TrialSort::kId,
                          .order = store::Order::kDescending,
                          .page = {.offset = 0, .limit = kTrials}};
  const auto found = co_await services.stores.trials.list(std::move(query));
  DET_CO_TRY(found);
  std::vector<MergedTrial> trials;
  for (const store::TrialView& view : found->items) {
    trials.push_back(
        {.id = view.row.id, .task_id = view.row.task_id, .start = view.row.start_time, .end = view.row.end_time});
  }
  co_return trials;
}

Task<Status> read_newest(ApiServices& services, store::LogQuery query, store::LineSink sink) {
  DET_CO_TRY(co_await services.stores.logs.scan(std::move(query), std::move(sink)));
  co_return Status();
}

Task<Result<MergedPage>> read_page(ApiServices& services, model::ExperimentId experiment, MergeQuery query) {
  auto trials = co_await newest_trials(services, experiment);
  DET_CO_TRY(trials);
  ReadNewest read = [&services](store::LogQuery one, store::LineSink sink) {
    return read_newest(services, std::move(one), std::move(sink));
  };
  co_return co_await merge_newest(std::move(*trials), std::move(query), std::move(read));
}

Result<MergeQuery> read_query(const http::Params& params) {
  auto request = read_log_request(params, {});
  DET_TRY(request);
  MergeQuery query{.lines = std::move(request->query), .before = {}};
  if (query.lines.limit == 0) query.lines.limit = kUsual;
  query.lines.limit = std::min(query.lines.limit, kMostLines);
  QueryArguments arguments(params);
  if (const auto before = arguments.text("before")) {
    query.before = read_place(*before);
    if (!query.before) return fail(ErrorCode::kInvalidArgument, "before: expected the `next` of an answer", "before");
  }
  return query;
}

}  // namespace

Task<Result<http::Response>> experiment_logs(ApiServices& services, Call call) {
  const auto row = co_await named_experiment(services, call);
  DET_CO_TRY(row);
  auto query = read_query(call.request.query);
  DET_CO_TRY(query);
  auto page = co_await with_deadline(services.clock, kLongest, read_page(services, row->id, std::move(*query)));
  if (!page && page.error().code == ErrorCode::kDeadlineExceeded) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "nothing is found within 10 s: ask for a time, a level, or the log of one trial");
  }
  DET_CO_TRY(page);
  std::string text;
  for (const MergedLine& line : page->lines) wire::append_trial_log(text, to_wire(line.line), line.trial);
  if (page->next) text += wire::frame({{"next", to_text(*page->next)}});
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.body = std::move(text);
  co_return response;
}

Task<Result<http::Response>> count_experiment_logs(ApiServices& services, Call call) {
  const auto row = co_await named_experiment(services, call);
  DET_CO_TRY(row);
  auto request = read_log_request(call.request.query, {});
  DET_CO_TRY(request);
  const auto trials = co_await newest_trials(services, row->id);
  DET_CO_TRY(trials);
  std::vector<std::string> tasks;
  for (const MergedTrial& trial : *trials) tasks.push_back(trial.task_id);
  co_return co_await count_lines(services, std::move(tasks), std::move(request->query));
}

}  // namespace det::api::routes
