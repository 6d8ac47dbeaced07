// The exact JSON of every message, as files to read and compare.
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "wire/checkpoint.h"
#include "wire/cluster.h"
#include "wire/error.h"
#include "wire/experiment.h"
#include "wire/log_record.h"
#include "wire/task.h"
#include "wire/trial.h"
#include "wire/user.h"

namespace det::wire {
namespace {

void expect(const std::string& name, const Json& json) {
  test::expect_golden("wire/" + name + ".json", json.dump(2) + "\n");
}

WallTime at(const char* text) {
  return *parse_rfc3339(text);
}

Json config() {
  return Json::parse(R"({
    "name": "const", "entrypoint": "python3 train.py", "hyperparameters": {"lr": {"type": "const", "val": 0.1}},
    "searcher": {"name": "single", "metric": "loss"}, "resources": {"resource_pool": "default"}})");
}

MetricsWorkload validation() {
  return {.total_batches = 100,
          .end_time = at("2025-03-01T12:05:00Z"),
          .metrics = {{"loss", 0.25}, {"accuracy", "NaN"}},
          .batch_metrics = nullptr};
}

CheckpointWorkload saved() {
  return {.uuid = "b0341c35-8f3a-4cf2-9a4e-111111111111",
          .state = model::CheckpointState::kCompleted,
          .total_batches = 100,
          .end_time = at("2025-03-01T12:05:01Z"),
          .resources = {{"state", 1}, {"d/", 0}},
          .metadata = {{"steps_completed", 100}}};
}

Experiment experiment() {
  Experiment e;
  e.id = {1};
  e.name = "const";
  e.labels = {"a", "b"};
  e.state = model::ExperimentState::kActive;
  e.allocation_state = model::AllocationState::kRunning;
  e.start_time = at("2025-03-01T12:00:00.5Z");
  e.trial_ids = {{1}, {2}};
  e.username = "determined";
  e.user = {2};
  e.job_id = "6f3c0000-0000-4000-8000-000000000000";
  e.progress = 0.5;
  e.project_name = "Uncategorized";
  e.project_owner = {1};
  e.workspace_name = "Uncategorized";
  e.config = config();
  e.original_config = "name: const\n";
  e.checkpoint_count = 1;
  e.checkpoint_bytes = 5'000'000'000;
  return e;
}

TEST(GoldenWire, Experiment) {
  Experiment ended = experiment();
  ended.state = model::ExperimentState::kCompleted;
  ended.end_time = at("2025-03-01T12:10:00Z");
  ended.forked_from = model::ExperimentId{7};
  ended.best_trial = model::TrialId{2};
  ended.best_metric = 0.25;
  ended.context_bytes = 1234;
  expect("experiment_running", to_json(experiment()));
  expect("experiment_ended", to_json(ended));
  expect("experiment_unspecified", unspecified_experiment());
}

TEST(GoldenWire, Trial) {
  Trial t;
  t.id = {1};
  t.experiment = {1};
  t.start_time = at("2025-03-01T12:00:01Z");
  t.task_id = "1.9e1c0000-0000-4000-8000-000000000000";
  expect("trial_new", to_json(t));
  t.state = model::TrialState::kCompleted;
  t.end_time = at("2025-03-01T12:06:00Z");
  t.hparams = {{"lr", 0.1}};
  t.total_batches = 100;
  t.best_validation = validation();
  t.latest_validation = validation();
  t.best_checkpoint = saved();
  t.wall_clock_seconds = 12.5;
  t.checkpoint_count = 1;
  t.checkpoint_bytes = 1;
  t.summary =
      summary_metrics({{"validation", {{"loss", {.count = 2, .sum = 1, .min = 0.25, .max = 0.75, .last = 0.25}}}},
                       {"training", {{"loss", {.count = 1, .sum = 1, .min = 1, .max = 1, .last = 1}}}}});
  t.searcher_metric = 0.25;
  expect("trial_ended", to_json(t));
}

TEST(GoldenWire, Workloads) {
  MetricsWorkload training = validation();
  training.batch_metrics = {{{"loss", 1.5}}};
  expect("workloads",
         Json::array({to_json(WorkloadContainer{.training = training, .validation = {}, .checkpoint = {}}),
                      to_json(WorkloadContainer{.training = {}, .validation = validation(), .checkpoint = {}}),
                      to_json(WorkloadContainer{.training = {}, .validation = {}, .checkpoint = saved()})}));
}

TEST(GoldenWire, Checkpoint) {
  Checkpoint c;
  c.uuid = saved().uuid;
  c.task_id = "1.aaaa";
  c.allocation_id = "1.aaaa.1";
  c.report_time = at("2025-03-01T12:05:01Z");
  c.metadata = {{"steps_completed", 100}};
  c.resources = {{"state", 1}, {"d/", 0}};
  c.storage_id = 3;
  c.trial = model::TrialId{1};
  c.experiment = model::ExperimentId{1};
  c.experiment_config = config();
  c.hparams = {{"lr", 0.1}};
  c.searcher_metric = 0.25;
  c.validation_metrics = {{"loss", 0.25}};
  expect("checkpoint", to_json(c));
}

TEST(GoldenWire, Task) {
  Task t;
  t.id = "1.aaaa";
  t.start_time = at("2025-03-01T12:00:00Z");
  t.allocations = {{.id = "1.aaaa.1",
                    .task_id = "1.aaaa",
                    .state = model::AllocationState::kTerminated,
                    .is_ready = true,
                    .slots = 1,
                    .start_time = at("2025-03-01T12:00:01Z"),
                    .end_time = at("2025-03-01T12:06:00Z"),
                    .exit_reason = "exited with 1",
                    .exit_code = 1}};
  expect("task", to_json(t));
}

TEST(GoldenWire, User) {
  expect("user", to_json(User{.id = {2},
                              .username = "determined",
                              .display_name = "",
                              .admin = false,
                              .active = true,
                              .remote = false,
                              .modified_at = at("2025-03-01T12:00:00Z")}));
}

TEST(GoldenWire, Cluster) {
  const MasterInfo cluster{
      .cluster_id = "c", .cluster_name = "lab", .master_id = "m", .feature_switches = {"streaming_updates"}};
  expect("info", info(cluster));
  expect("master", master(cluster));
}

TEST(GoldenWire, Errors) {
  const Error error{.code = ErrorCode::kNotFound, .message = "trial '7' not found", .field = "", .retry_after = {}};
  expect("errors",
         {{"api", api_error(error)}, {"plain", plain_error("api not found: GET /x")}, {"stream", stream_error(error)}});
}

TEST(GoldenWire, Logs) {
  LogRecord line{.id = 17,
                 .time = at("2025-03-01T12:00:00.123456Z"),
                 .level = TaskLogLevel::kInfo,
                 .log = "hello\n",
                 .allocation_id = "1.aaaa.1",
                 .agent_id = "node1",
                 .container_id = "a1b2c3d4-0000",
                 .rank = 0,
                 .source = "task",
                 .stdtype = "stdout"};
  const auto message = [](const std::string& frame) { return Json::parse(frame)["result"]; };
  std::string trial;
  append_trial_log(trial, line, {1});
  std::string task;
  append_task_log(task, line, "1.aaaa");
  Json both = Json::array({message(trial), message(task)});
  line.level = TaskLogLevel::kUnspecified;
  line.rank.reset();
  line.container_id = {};
  std::string bare;
  append_trial_log(bare, line, {1});
  both.push_back(message(bare));
  expect("logs", both);
}

// Log lines are written without a Json on the way: byte for byte what dump() makes of the same message.
TEST(GoldenWire, LogsAreWrittenAsDumpWouldWriteThem) {
  std::string every_ascii;
  for (char c = 0; c < 127; ++c) every_ascii += c;
  for (const std::string& text :
       {every_ascii, std::string("caf\xC3\xA9 \xF0\x9F\x98\x80\n"), std::string("cut \xC3"), std::string()}) {
    const LogRecord line{.id = 1,
                         .time = at("2025-03-01T12:00:00Z"),
                         .level = TaskLogLevel::kError,
                         .log = text,
                         .allocation_id = "a\"b",
                         .agent_id = text,
                         .container_id = "\xC3\xA9\xC3\xA9",
                         .rank = -1,
                         .source = "s",
                         .stdtype = "stderr"};
    for (const bool is_trial : {true, false}) {
      std::string frame;
      is_trial ? append_trial_log(frame, line, {7}) : append_task_log(frame, line, "t\"1");
      EXPECT_EQ(dump(Json::parse(frame)) + "\n", frame);
    }
  }
}

}  // namespace
}  // namespace det::wire
