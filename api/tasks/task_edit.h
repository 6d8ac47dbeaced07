#pragma once

// Edits of tasks on behalf of REST. Belongs to the io thread.

#include <cstdint>

#include "api/call.h"
#include "store/tasks/task_rows.h"

namespace det::api {

// Asks its object to stop: spec.stop = Kill. Success when it has ended, or its object is gone. Waits a moment for the
// reconciler, so that who looks next does not find it running.
Task<Status> stop_task(ApiServices& services, store::TaskRow row);
// Of what pauses: a generic task. kFailedPrecondition for one that has ended.
Task<Status> set_task_suspended(ApiServices& services, store::TaskRow row, bool is_suspended);
// Whether that is asked for; false when its object is gone.
Task<Result<bool>> task_is_suspended(ApiServices& services, store::TaskRow row);
// kInvalidArgument when it is none of 1 to 99, or a config policy forbids it.
Task<Status> set_task_priority(ApiServices& services, store::TaskRow row, std::int64_t priority);

}  // namespace det::api
