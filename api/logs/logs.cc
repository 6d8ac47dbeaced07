#include <algorithm>
#include <iterator>
#include <memory>

#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/logs/log_lines.h"
#include "api/logs/log_policies.h"
#include "api/logs/log_stream.h"
#include "api/logs/plain_log_lines.h"
#include "api/logs/routes.h"
#include "api/tasks/any_task.h"
#include "api/views.h"
#include "api/webhooks/log_triggers.h"
#include "wire/log_record.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

constexpr std::chrono::seconds kWriteTimeout{30};

LoggedTask logged(const store::TrialRow& trial) {
  return {.id = trial.task_id, .number = trial.task_number, .trial = trial.id};
}

Task<Result<LoggedTask>> trial_of_path(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto trial = co_await services.stores.trials.find(model::TrialId{*id});
  DET_CO_TRY(trial);
  if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(*id) + "' not found");
  co_return logged(**trial);
}

Task<Result<LoggedTask>> task_of_path(ApiServices& services, Call call) {
  const auto found = co_await find_any_task(services, path_text(call.request, "id"));
  DET_CO_TRY(found);
  if (found->trial) co_return logged(*found->trial);
  co_return LoggedTask{.id = found->task->id, .number = found->task->number, .trial = std::nullopt};
}

Result<PostedLines> read_post(std::string_view body, WallTime now) {
  if (auto plain = read_plain_lines(body, now)) return std::move(*plain);
  const auto json = parse_log_body(body);
  DET_TRY(json);
  if (!json->is_object()) return fail(ErrorCode::kInvalidArgument, "expected an object with a list `logs`");
  return read_posted_lines(*json, now);
}

// [{"task_id":"...","log":"...","rank":"0"}], as programs outside of the cluster post them.
Result<PostedLines> read_array(std::string_view body, WallTime now) {
  auto json = parse_log_body(body);
  DET_TRY(json);
  if (!json->is_array()) return fail(ErrorCode::kInvalidArgument, "expected a list of log lines");
  for (wire::Json& line : *json) {
    if (line.is_object() && line.contains("rank")) line["rank_id"] = std::move(line["rank"]);
  }
  return read_posted_lines({{"logs", std::move(*json)}}, now);
}

// True where the lines were kept when they were posted before. `posted` is as it was afterwards.
Task<Result<bool>> is_repeated(ApiServices& services, Call call, PostedLines& posted) {
  QueryArguments query(call.request.query);
  const bool is_retry = query.boolean("retry").value_or(false);
  DET_CO_TRY(query.status());
  if (!is_retry) co_return false;
  const auto lines = std::make_shared<std::vector<store::LogLine>>(std::move(posted.lines));
  const auto there = co_await services.stores.logs.has(posted.task_id, lines);
  posted.lines = std::move(*lines);
  co_return there;
}

Task<Result<http::Response>> keep_lines(ApiServices& services, Call call, PostedLines posted, WallTime now) {
  DET_CO_TRY(co_await check_task(services, call.caller, posted.task_id));
  const auto repeated = co_await is_repeated(services, call, posted);
  DET_CO_TRY(repeated);
  if (*repeated) co_return ok();
  co_await services.log_triggers.look(posted.task_id, posted.lines, services.log_policies.turns());
  auto said = co_await services.log_policies.look(posted.task_id, posted.lines, now);
  // Behind the line that they are about.
  std::ranges::move(said, std::back_inserter(posted.lines));
  DET_CO_TRY(co_await services.stores.log_writer.write(posted.task_id, std::move(posted.lines), kWriteTimeout));
  co_return ok();
}

Result<http::Response> fields_answer(ApiServices& services, Call call, const Result<LoggedTask>& trial) {
  DET_TRY(trial);
  QueryArguments query(call.request.query);
  const bool follow = query.boolean("follow").value_or(false);
  DET_TRY(query.status());
  return log_fields_response(services, *trial, follow);
}

}  // namespace

Task<Result<http::Response>> post_logs(ApiServices& services, Call call) {
  const WallTime now = services.clock.wall_now();
  auto posted =
      co_await read_body(services, call.request, [now](std::string_view body) { return read_post(body, now); });
  DET_CO_TRY(posted);
  co_return co_await keep_lines(services, call, std::move(*posted), now);
}

Task<Result<http::Response>> post_log_array(ApiServices& services, Call call) {
  const WallTime now = services.clock.wall_now();
  auto posted =
      co_await read_body(services, call.request, [now](std::string_view body) { return read_array(body, now); });
  DET_CO_TRY(posted);
  co_return co_await keep_lines(services, call, std::move(*posted), now);
}

Task<Result<http::Response>> trial_logs(ApiServices& services, Call call) {
  const auto trial = co_await trial_of_path(services, call);
  DET_CO_TRY(trial);
  auto request = read_log_request(call.request.query, trial->id);
  DET_CO_TRY(request);
  LineForm form = [id = *trial->trial](std::string& out, const store::NumberedLine& line) {
    wire::append_trial_log(out, to_wire(line), id);
  };
  co_return log_response(services, *trial, std::move(*request), std::move(form));
}

Task<Result<http::Response>> task_logs(ApiServices& services, Call call) {
  const auto trial = co_await task_of_path(services, call);
  DET_CO_TRY(trial);
  auto request = read_log_request(call.request.query, trial->id);
  DET_CO_TRY(request);
  LineForm form = [id = trial->id](std::string& out, const store::NumberedLine& line) {
    wire::append_task_log(out, to_wire(line), id);
  };
  co_return log_response(services, *trial, std::move(*request), std::move(form));
}

Task<Result<http::Response>> trial_log_fields(ApiServices& services, Call call) {
  const auto trial = co_await trial_of_path(services, call);
  co_return fields_answer(services, call, trial);
}

Task<Result<http::Response>> task_log_fields(ApiServices& services, Call call) {
  const auto trial = co_await task_of_path(services, call);
  co_return fields_answer(services, call, trial);
}

}  // namespace det::api::routes
