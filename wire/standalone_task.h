#pragma once

// v1Notebook, v1Shell, v1Command, v1Tensorboard. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/wall_time.h"
#include "model/states.h"
#include "wire/forms.h"

namespace det::wire {

struct StandaloneTask {
  std::string id;
  std::string type;  // Determined's word: "NOTEBOOK"
  std::string description;
  model::AllocationState state = model::AllocationState::kPending;
  WallTime start_time;
  std::string username;
  std::string display_name;
  std::int64_t user = 0;
  std::int64_t workspace = 0;
  std::string resource_pool;
  std::string exit_status;
  std::string job_id;
  std::string container;        // the pod's name; empty: none yet
  std::string service_address;  // empty: its type has none
  std::string private_key;      // of a shell, for its owner
  std::string public_key;
  std::vector<std::int64_t> experiments;  // of a TensorBoard
  std::vector<std::int64_t> trials;
  std::optional<WallTime> idle_since;                // when somebody used it last
  std::optional<std::chrono::seconds> idle_timeout;  // it ends when nobody used it for so long
};
[[nodiscard]] Json to_json(const StandaloneTask& task);

}  // namespace det::wire
