#pragma once

// v1Job and what belongs to the queue. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include "base/wall_time.h"
#include "wire/forms.h"

namespace det::wire {

struct Job {
  std::string id;
  std::string entity;               // the experiment's number, or the task's id
  std::string type = "EXPERIMENT";  // or Determined's word for the task
  std::string name;
  std::int64_t user = 0;
  std::string username;
  std::int64_t workspace = 0;
  std::string resource_pool;
  int priority = 0;
  double weight = 1;
  std::optional<double> progress;
  WallTime submitted;
  int requested_slots = 0;
  int allocated_slots = 0;
  bool is_scheduled = false;
  int jobs_ahead = 0;
};
[[nodiscard]] Json to_json(const Job& job);

struct QueueStats {
  int queued = 0;
  int scheduled = 0;
};
[[nodiscard]] Json to_json(const QueueStats& stats);

}  // namespace det::wire
