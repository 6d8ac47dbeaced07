#include <algorithm>
#include <cmath>

#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/live/live_hub.h"
#include "api/searches/searcher_input.h"
#include "api/trials/report_parser.h"
#include "api/trials/routes.h"
#include "api/trials/trial_memory.h"
#include "base/cut_text.h"
#include "base/log.h"
#include "base/printable.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// As long as a harness request is held while the database is away.
constexpr std::chrono::seconds kWriteTimeout{30};
constexpr std::chrono::seconds kLogTimeout{10};
constexpr std::size_t kLongestReason = 1'000;  // bytes

// The runner of a custom search hears how far its trials are. A report that is repeated is the same input.
Task<Status> tell_runner(ApiServices& services, TrialContext facts, double units) {
  const std::string key = "progress:" + facts.request_id + ":" + wire::number(units).dump();
  return services.stores.searcher.add_input(facts.experiment, key,
                                            {{"kind", "progress"}, {"request_id", facts.request_id}, {"units", units}});
}

Task<Result<http::Response>> take_report(ApiServices& services, Call call, ParsedReport parsed) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  if (parsed.trial_id != *id) {
    co_return fail(
        ErrorCode::kInvalidArgument,
        "metrics.trialId: " + std::to_string(parsed.trial_id) + " differs from the path's " + std::to_string(*id),
        "metrics.trialId");
  }
  const auto facts = co_await services.trial_memory.facts(model::TrialId{*id});
  DET_CO_TRY(facts);
  store::MetricReport report;
  report.trial = facts->trial;
  report.run = static_cast<int>(std::clamp<std::int64_t>(parsed.run_id, 0, 1'000'000'000));
  report.may_outlive_run = facts->is_unmanaged;
  report.input = input_of(*facts, parsed);
  report.group = std::move(parsed.group);
  report.steps = parsed.steps;
  report.time = parsed.report_time.value_or(services.clock.wall_now());
  report.metrics = std::move(parsed.metrics);
  DET_CO_TRY(co_await services.stores.metric_writer.write(std::move(report), kWriteTimeout));
  services.live.note_report(facts->trial, facts->experiment);
  co_return ok();
}

// The package reports no more in a run of which a report was refused, and the program may end well all the same: its
// log says why its curves stop.
Task<void> log_refused(ApiServices& services, std::int64_t trial, Error error) {
  const auto facts = co_await services.trial_memory.facts(model::TrialId{trial});
  if (!facts) co_return;
  store::LogLine line;
  line.time = services.clock.wall_now();
  line.level = store::LineLevel::kError;
  line.source = "master";
  line.text = "A report of metrics was refused: " + printable(cut_text(std::move(error.message), kLongestReason)) +
              ". What the training package had still to report may be lost.\n";
  std::vector<store::LogLine> lines = {std::move(line)};
  const auto written = co_await services.stores.log_writer.write(facts->task_id, std::move(lines), kLogTimeout);
  if (!written) Logger("reports").warn("a line for the task log was lost", {{"error", written.error().message}});
}

// The body is the report itself; the route says its group.
Task<Result<http::Response>> take_old_report(ApiServices& services, Call call, std::string group) {
  auto read = [group](std::string_view text) -> Result<ParsedReport> {
    auto body = wire::parse_body(text);
    DET_TRY(body);
    return parse_report(wire::Json{{"group", group}, {"metrics", std::move(*body)}}.dump());
  };
  auto parsed = co_await read_body(services, call.request, std::move(read));
  DET_CO_TRY(parsed);
  co_return co_await take_report(services, std::move(call), std::move(*parsed));
}

}  // namespace

Task<Result<http::Response>> start_run(ApiServices& services, Call call) {
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const wire::Json* const storage = fields.any("checkpointStorage");
  if (storage == nullptr) co_return ok();
  fields.require("runId");
  const std::int64_t run = fields.integer("runId").value_or(0);
  static_cast<void>(fields.object("checkpointStorage"));  // an error where it is something else
  DET_CO_TRY(fields.status());
  const auto facts = co_await services.trial_memory.facts(model::TrialId{run});
  DET_CO_TRY(facts);
  DET_CO_TRY(co_await check_task(services, call.caller, facts->task_id));
  const auto id = co_await services.stores.checkpoints.storage_id(facts->experiment, *storage);
  DET_CO_TRY(id);
  co_return ok({{"storageId", *id}});
}

Task<Result<http::Response>> report_metrics(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto parsed = co_await read_body(services, call.request, parse_report);
  auto answer = parsed ? co_await take_report(services, std::move(call), std::move(*parsed))
                       : Result<http::Response>(std::unexpected(std::move(parsed).error()));
  if (!answer && answer.error().code == ErrorCode::kInvalidArgument) {
    co_await log_refused(services, *id, answer.error());
  }
  co_return answer;
}

// Of clients that were generated from Determined's description.
Task<Result<http::Response>> report_training_metrics(ApiServices& services, Call call) {
  return take_old_report(services, std::move(call), "training");
}

Task<Result<http::Response>> report_validation_metrics(ApiServices& services, Call call) {
  return take_old_report(services, std::move(call), "validation");
}

// {"progress":0.5,"is_raw":true}, {"progress":<length>} and, from old harnesses, the bare length.
Task<Result<http::Response>> report_progress(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_any_body(call.request.body.view());
  DET_CO_TRY(body);
  if (!body->is_object()) body = wire::Json{{"progress", std::move(*body)}};
  wire::RequestFields fields(*body);
  fields.require("progress");
  const auto progress = fields.number("progress");
  const bool is_raw = fields.boolean("isRaw").value_or(false);
  DET_CO_TRY(fields.status());
  if (!std::isfinite(*progress)) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "progress: expected a finite number, got " + wire::dump(wire::number(*progress)), "progress");
  }
  const auto facts = co_await services.trial_memory.facts(model::TrialId{*id});
  DET_CO_TRY(facts);
  if (facts->is_custom) {
    DET_CO_TRY(co_await tell_runner(services, *facts, *progress));
  }
  double fraction = *progress;
  if (!is_raw) {
    if (!facts->max_length || *facts->max_length <= 0) co_return ok();  // a length without its end says nothing
    fraction = *progress / *facts->max_length;
  }
  services.stores.progress_writer.note(facts->trial, std::clamp(fraction, 0.0, 1.0));
  services.live.note_report(facts->trial, facts->experiment);
  co_return ok();
}

Task<Result<http::Response>> report_runner_state(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  std::string state = fields.string("state").value_or("");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(co_await services.stores.trials.set_runner_state(model::TrialId{*id}, std::move(state)));
  co_return ok();
}

Task<Result<http::Response>> report_early_exit(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const std::string reason = fields.string("reason").value_or("");
  if (reason != "EXITED_REASON_INVALID_HP" && reason != "EXITED_REASON_INIT_INVALID_HP") {
    co_return fail(ErrorCode::kInvalidArgument,
                   "reason: '" + reason + "' is not EXITED_REASON_INVALID_HP or EXITED_REASON_INIT_INVALID_HP",
                   "reason");
  }
  DET_CO_TRY(co_await services.stores.trials.set_early_exit(model::TrialId{*id}, reason));
  co_return ok();
}

}  // namespace det::api::routes
