#include "operator/gang/run_log.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/log.h"

namespace det::op {

Task<bool> write_run_log(store::LogSink& logs, Clock& clock, std::string task_id, std::string allocation_id,
                         std::string line) {
  constexpr std::chrono::seconds kTimeout{10};
  store::LogLine entry;
  entry.time = clock.wall_now();
  entry.level = store::LineLevel::kInfo;
  entry.allocation_id = std::move(allocation_id);
  entry.source = "master";
  entry.text = std::move(line) + "\n";
  std::vector<store::LogLine> lines = {std::move(entry)};
  auto written = co_await logs.write(std::move(task_id), std::move(lines), kTimeout);
  if (!written) Logger("runs").warn("a line for the task log was lost", {{"error", written.error().message}});
  co_return written.has_value();
}

Task<void> EndLines::write(store::LogSink& logs, Clock& clock, std::string task_id, std::string allocation_id,
                           std::string line) {
  const std::string* const known = written_.find(allocation_id);
  if (known != nullptr && *known == line) co_return;
  if (co_await write_run_log(logs, clock, std::move(task_id), allocation_id, line)) {
    written_.put(allocation_id, std::move(line));
  }
}

std::string title(const store::TrialRow& trial) {
  return "Trial " + to_string(trial.id) + " (Experiment " + to_string(trial.experiment) + ")";
}

std::string title(const store::TaskRow& task) {
  return task.description.empty() ? "Task " + task.id : task.description;
}

Task<void> write_abandoned(store::LogSink& logs, Clock& clock, const store::TrialRow& trial, std::string why) {
  if (trial.run == 0) co_return;
  co_await write_run_log(logs, clock, trial.task_id, model::allocation_id(trial.task_id, trial.run),
                         title(trial) + " was terminated: " + why);
}

Task<void> write_abandoned(store::LogSink& logs, Clock& clock, const store::TaskRow& task, std::string why) {
  if (task.run == 0) co_return;
  co_await write_run_log(logs, clock, task.id, model::allocation_id(task.id, task.run),
                         title(task) + " was terminated: " + why);
}

}  // namespace det::op
