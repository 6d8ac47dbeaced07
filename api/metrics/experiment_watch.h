#pragma once

// What the streams about an experiment share: they look again now and then until it is over. Belongs to the io thread.

#include <chrono>
#include <set>
#include <vector>

#include "api/arguments.h"
#include "api/call.h"

namespace det::api {

// periodSeconds: seconds between two looks; 0 means 30.
[[nodiscard]] Result<std::chrono::seconds> read_period(QueryArguments& arguments);

// kNotFound names the first that does not exist.
Task<Result<std::vector<store::ComparedExperiment>>> find_compared(ApiServices& services,
                                                                   std::vector<model::ExperimentId> ids);

// Waits for the next look; false when all of them were over before the last one, so that there is nothing more to see.
class ExperimentWatch {
 public:
  ExperimentWatch(ApiServices& services, std::vector<model::ExperimentId> ids, std::chrono::seconds period)
      : services_(services), ids_(std::move(ids)), period_(period) {}

  // Before each look.
  Task<Status> begin_look();
  // After it.
  Task<bool> wait();

 private:
  ApiServices& services_;
  std::vector<model::ExperimentId> ids_;
  std::chrono::seconds period_;
  bool is_over_ = false;
};

// The ones that `seen` lacks, which has them then.
template <typename T>
std::vector<T> unseen(std::vector<T> all, std::set<T>& seen) {
  std::erase_if(all, [&seen](const T& one) { return !seen.insert(one).second; });
  return all;
}

}  // namespace det::api
