#pragma once

// Whether an experiment that was accepted in one resource pool may go on in another. It keeps its configuration: what
// its pool's defaults gave it then, it has in the other one, too. Belongs to the io thread.

#include <optional>
#include <string>

#include "accept/gate_stores.h"
#include "accept/submission.h"
#include "base/task.h"
#include "model/cluster/master_config.h"

namespace det::accept {

// Nothing where it may. `pool` is none of a config policy's business here (model::check_setting). kNotFound when the
// experiment's project is gone.
Task<Result<std::optional<Objection>>> check_pool_move(GateStores stores, model::MasterConfig master,
                                                       store::ExperimentRow experiment, std::string pool);

// The part that needs no database. Pure.
[[nodiscard]] FieldErrors object_to_move(const model::MasterConfig& master, const store::ExperimentRow& experiment,
                                         const std::string& pool);

}  // namespace det::accept
