#pragma once

// What happens, put down for the webhooks that are to be told, in the transaction in which it happens: a crash loses
// neither or both. For the .cc files of store/.

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// After the row of the experiment has its new state. Notifies kWebhookChannel when somebody is to be told.
void tell_state_change(pg::Transaction& tx, model::ExperimentId experiment);

}  // namespace det::store
