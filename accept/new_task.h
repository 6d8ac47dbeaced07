#pragma once

// The row of a task that the gate has let through.

#include "accept/task_submission.h"
#include "base/result.h"
#include "store/tasks/task_rows.h"

namespace det::accept {

// With its id and what lets its owner's programs in, made now. The caller adds nonce, owner and object.
[[nodiscard]] Result<store::NewTask> new_task(model::TaskType type, ShownByTensorBoard shown, AcceptedTask accepted);

}  // namespace det::accept
