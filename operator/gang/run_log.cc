#include "operator/gang/run_log.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/log.h"

namespace det::op {

Task<void> write_run_log(store::LogSink& logs, Clock& clock, std::string task_id, std::string allocation_id,
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
}

}  // namespace det::op
