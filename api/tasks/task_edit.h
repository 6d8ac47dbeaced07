#pragma once

// Edits of tasks on behalf of REST. Belongs to the io thread.

#include <cstdint>
#include <string>
#include <vector>

#include "api/call.h"
#include "store/tasks/task_rows.h"

namespace det::api {

// Asks its object to stop: spec.stop = Kill. Success when it has ended, or its object is gone; kFailedPrecondition
// where the server may not write its namespace. Waits a moment for the reconciler, so that who looks next does not find
// it running.
Task<Status> stop_task(ApiServices& services, store::TaskRow row);
// The same in two steps, for many tasks: the first waits for nothing, the second once for all of them, and no longer
// than for one.
Task<Status> begin_stop(ApiServices& services, store::TaskRow row);
Task<void> wait_until_stopped(ApiServices& services, std::vector<std::string> ids);
// Of what pauses: a generic task. kFailedPrecondition for one that has ended.
Task<Status> set_task_suspended(ApiServices& services, store::TaskRow row, bool is_suspended);
// Whether that is asked for; false when its object is gone.
Task<Result<bool>> task_is_suspended(ApiServices& services, store::TaskRow row);
// kInvalidArgument when it is none of 1 to 99, or a config policy forbids it.
Task<Status> set_task_priority(ApiServices& services, store::TaskRow row, std::int64_t priority);

}  // namespace det::api
