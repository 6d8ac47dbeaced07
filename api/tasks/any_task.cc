#include "api/tasks/any_task.h"

#include <utility>

namespace det::api {

Task<Result<AnyTask>> find_any_task(ApiServices& services, std::string id) {
  auto trial = co_await services.stores.trials.find_by_task(id);
  DET_CO_TRY(trial);
  if (*trial) co_return AnyTask{.trial = std::move(*trial), .task = std::nullopt};
  auto task = co_await services.stores.tasks.find(id);
  DET_CO_TRY(task);
  if (*task) co_return AnyTask{.trial = std::nullopt, .task = std::move(*task)};
  co_return fail(ErrorCode::kNotFound, "task '" + id + "' not found");
}

}  // namespace det::api
