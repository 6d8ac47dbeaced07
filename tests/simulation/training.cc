#include "tests/simulation/training.h"

#include <cmath>
#include <utility>

#include "base/encoding.h"

namespace det::simulation {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// What the harness waits between two tries of a lost connection.
constexpr milliseconds kRetry{1'000};
constexpr int kUnauthenticated = 1;

std::string request_id_of(const std::string& task_id) {
  return task_id.substr(task_id.find('.') + 1);
}

// A uuid that the same step of the same run always has: a repeated save is the same checkpoint.
std::string checkpoint_uuid(std::int64_t trial, int run, int step) {
  const std::string digest = sha256_hex(std::to_string(trial) + "/" + std::to_string(run) + "/" + std::to_string(step));
  return digest.substr(0, 8) + "-" + digest.substr(8, 4) + "-4" + digest.substr(13, 3) + "-8" + digest.substr(17, 3) +
         "-" + digest.substr(20, 12);
}

}  // namespace

Replica::Replica(Database& database, Turns::Outage outage)
    : turns(nullptr, std::move(outage), {}, {}), pool(turns.pool_options(database)), metrics(database.url()) {}

Training::Training(test::FakeClock& clock, Draw& draw, Database& database, Replica& replica, const TrainingPlan& plan,
                   Record& record, std::set<std::string>& finished_gangs,
                   std::map<std::string, std::string> environment, std::function<void()> reported)
    : clock_(clock),
      draw_(draw),
      database_(database),
      replica_(replica),
      plan_(plan),
      record_(record),
      finished_gangs_(finished_gangs),
      environment_(std::move(environment)),
      reported_(std::move(reported)) {}

std::string Training::env(const char* name) const {
  const auto found = environment_.find(name);
  return found == environment_.end() ? std::string() : found->second;
}

Task<void> Training::pause(milliseconds least, milliseconds most) {
  co_await clock_.sleep_for(draw_.between(least, most));
}

Task<int> Training::run() {
  trial_ = std::stoll(env("DET_TRIAL_ID"));
  run_ = std::stoi(env("DET_TRIAL_RUN_ID"));
  record_.hparams[trial_] = env("DET_HPARAMS");
  co_await meet();
  const bool is_chief = env("DET_RESOURCES_ID").ends_with(".0");
  if (!is_chief) co_return co_await follow();
  const int code = co_await lead();
  if (code == 0) finished_gangs_.insert(env("DET_ALLOCATION_ID"));
  co_return code;
}

// Rendezvous: every rank asks until all have an address.
Task<void> Training::meet() {
  for (;;) {
    auto all = co_await replica_.allocations.rendezvous(env("DET_ALLOCATION_ID"), env("DET_RESOURCES_ID"));
    if (all && *all) co_return;
    co_await pause(milliseconds(100), milliseconds(400));
  }
}

Task<int> Training::follow() {
  while (!finished_gangs_.contains(env("DET_ALLOCATION_ID"))) co_await pause(milliseconds(200), milliseconds(500));
  co_return 0;
}

// False: its token is dead.
Task<bool> Training::may_go_on() {
  for (;;) {
    auto known = co_await replica_.allocations.find_by_token(sha256_hex(env("DET_SESSION_TOKEN")));
    if (known) co_return known->has_value();
    co_await clock_.sleep_for(kRetry);
  }
}

Task<int> Training::lead() {
  int step = 0;
  const std::string from = env("DET_LATEST_CHECKPOINT");
  if (!from.empty()) step = std::stoi(env("DET_STEPS_COMPLETED"));
  while (step < plan_.steps) {
    co_await pause(plan_.step_time * 9 / 10, plan_.step_time * 11 / 10);
    if (!co_await may_go_on()) co_return kUnauthenticated;
    auto should_stop = co_await replica_.allocations.should_stop(env("DET_ALLOCATION_ID"));
    if (should_stop && should_stop->value_or(true)) {
      co_await save(step);
      Status acknowledged;
      do {
        acknowledged = co_await replica_.allocations.ack_preemption(env("DET_ALLOCATION_ID"));
        if (!acknowledged) co_await clock_.sleep_for(kRetry);
      } while (!acknowledged && acknowledged.error().code == ErrorCode::kUnavailable);
      co_return 0;
    }
    if (plan_.holds && plan_.holds(run_, step)) continue;
    ++step;
    const double scale = static_cast<double>(std::stoll(env("DET_TRIAL_SEED")) % 5 + 1);
    const double loss = plan_.best_at == 0 ? scale / step : scale + std::abs(step - plan_.best_at);
    co_await report(step, "training", loss);
    if (step % plan_.validate_every == 0 || step == plan_.steps) co_await report(step, "validation", loss);
    if (step % plan_.checkpoint_every == 0 || step == plan_.steps) co_await save(step);
    if (plan_.fails) {
      if (const auto code = plan_.fails(run_, step)) co_return *code;
    }
  }
  co_return 0;
}

// Until it is acknowledged, as the harness does; now and then the acknowledgement is lost on its way.
Task<void> Training::report(int step, std::string group, double loss) {
  store::MetricReport report;
  report.trial = model::TrialId{trial_};
  report.run = run_;
  report.group = group;
  report.steps = step;
  report.time = clock_.wall_now();
  report.metrics = {.names = {"loss"}, .values = {loss}, .extra = nullptr};
  if (group == "validation" && plan_.has_metric) {
    report.input = store::SearcherInput{.experiment = model::ExperimentId{std::stoll(env("DET_EXPERIMENT_ID"))},
                                        .metric = loss,
                                        .smaller_is_better = true,
                                        .name = "loss",
                                        .event = {{"kind", "validation"},
                                                  {"request_id", request_id_of(env("DET_TASK_ID"))},
                                                  {"steps", step},
                                                  {"metrics", {{"loss", loss}, {"batches", step}}}}};
  }
  for (;;) {
    co_await pause(milliseconds(0), milliseconds(5));
    std::vector<Status> results(1);
    Status written = fail(ErrorCode::kUnavailable, "PostgreSQL is away");
    if (!replica_.turns.is_away()) {
      database_.set_time(clock_.wall_now());
      written = replica_.metrics.commit({&report}, results);
      reported_();
    }
    const bool is_heard = !draw_.one_in(10);
    co_await pause(milliseconds(0), milliseconds(5));
    if (written && is_heard) {
      if (!results.front()) co_return;  // refused: an old run's
      record_.reports.push_back({.trial = trial_, .run = run_, .group = group, .steps = step, .value = loss});
      record_.steps = std::max(record_.steps, step);
      co_return;
    }
    co_await clock_.sleep_for(kRetry);
  }
}

Task<void> Training::save(int step) {
  if (step == 0) co_return;
  store::CheckpointRow checkpoint;
  checkpoint.uuid = checkpoint_uuid(trial_, run_, step);
  checkpoint.task_id = env("DET_TASK_ID");
  checkpoint.allocation_id = env("DET_ALLOCATION_ID");
  checkpoint.report_time = clock_.wall_now();
  checkpoint.steps = step;
  checkpoint.metadata = {{"steps_completed", step}};
  checkpoint.resources = {{"weights", 1}};
  for (;;) {
    auto reported = co_await replica_.checkpoints.report(checkpoint);
    if (reported) break;
    if (reported.error().code != ErrorCode::kUnavailable) co_return;
    co_await clock_.sleep_for(kRetry);
  }
  record_.checkpoints.insert(checkpoint.uuid);
}

}  // namespace det::simulation
