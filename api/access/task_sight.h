#pragma once

// Whether somebody may look at a task, asked with every request to its page: where the task is stays known for a
// moment. Belongs to the io thread; what it is given outlives it.

#include <optional>
#include <string>

#include "api/call.h"
#include "base/bounded_map.h"
#include "base/clock.h"

namespace det::api {

class TaskSight {
 public:
  explicit TaskSight(ApiServices& services) : services_(services) {}

  // `caller` has the grants of the request (with_grants). True where roles do not rule. A task that there is not is
  // nobody's to look at.
  Task<Result<bool>> may_look(Identity caller, std::string task_id);

 private:
  struct Known {
    store::TaskPlace place;
    SteadyTime read_at;
  };

  ApiServices& services_;
  BoundedMap<std::string, Known> known_{1'000};
};

}  // namespace det::api
