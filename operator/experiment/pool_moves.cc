#include "operator/experiment/pool_moves.h"

#include <utility>

#include "store/experiments/experiment_pool.h"

namespace det::op {

// Also for the way back: the pool that it was accepted with may be kept for others by now.
Task<Result<AllowedSettings>> allow_move(OperatorServices& services, store::ExperimentRow row,
                                         AllowedSettings allowed) {
  store::ExperimentRow moved = row;
  moved.live = allowed.live;
  const std::string pool = store::pool_now(moved);
  if (pool == store::pool_now(row)) co_return allowed;
  auto objection = co_await services.gate.check_move(services.settings.master, row, pool);
  DET_CO_TRY(objection);
  if (!*objection) co_return allowed;
  allowed.live.erase(store::kPoolSetting);
  if (row.live.contains(store::kPoolSetting)) allowed.live[store::kPoolSetting] = row.live.at(store::kPoolSetting);
  Refusal refused = condition_of(**objection);
  if (allowed.objection) refused.message = allowed.objection->message + "\n" + refused.message;
  allowed.objection = std::move(refused);
  co_return allowed;
}

}  // namespace det::op
