#pragma once

// What of a task's run the proxy reaches. Pure.

#include <vector>

#include "operator/task/task_round.h"
#include "store/proxy/service_store.h"

namespace det::op {

// Of the task's first pod; nothing before it has an address.
[[nodiscard]] std::vector<store::ProxyService> services_of(const TaskRound& round);

}  // namespace det::op
