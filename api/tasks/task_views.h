#pragma once

// Rows of tasks as messages of the wire. Pure.

#include "api/call.h"
#include "model/cluster/master_config.h"
#include "store/tasks/task_rows.h"
#include "wire/standalone_task.h"

namespace det::api {

// Ended tasks have no run any more, whatever their last one said.
[[nodiscard]] model::AllocationState shown_state(const store::TaskRun& run);
[[nodiscard]] std::string shown_pool(const store::TaskRow& row, const model::MasterConfig& master);
// What lets its owner's programs in is shown to the owner and to admins only.
[[nodiscard]] wire::StandaloneTask to_wire(const store::TaskRun& run, const Identity& caller,
                                           const model::MasterConfig& master);
// Whether it is one that ends when nobody uses it, while it runs.
[[nodiscard]] bool idles(const store::TaskRow& row);
// Adds since when nobody uses it and how long it may idle. `row` must be one that idles; `asked_at`: when somebody
// asked for its page last. What a notebook said of its kernels counts where it is later.
void add_idling(wire::StandaloneTask& task, const store::TaskRow& row, WallTime asked_at);
// The complete configuration, with a mask in place of each secret.
[[nodiscard]] wire::Json shown_config(const store::TaskRow& row);
// As people gave it, with a mask in place of each secret; empty where that is not known.
[[nodiscard]] wire::Json given_config(const store::TaskRow& row);

}  // namespace det::api
