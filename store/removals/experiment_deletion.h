#pragma once

// How the deletion of an experiment begins, inside someone's transaction. A detail of RemovalStore.

#include "base/result.h"
#include "model/ids.h"
#include "store/sql.h"

namespace det::store {

// As RemovalStore::begin_delete.
[[nodiscard]] Status begin_deletion(pqxx::transaction_base& tx, model::ExperimentId id);

}  // namespace det::store
