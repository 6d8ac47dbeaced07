#include "accept/pool_admission.h"

#include "accept/objections.h"
#include "model/expconf/accept_config.h"

namespace det::accept {

Task<Result<std::optional<Objection>>> check_pool_admits(store::PoolBindingStore& bindings, std::string pool,
                                                         model::WorkspaceId workspace) {
  const auto admits = co_await bindings.admits(pool, workspace);
  DET_CO_TRY(admits);
  if (*admits) co_return std::nullopt;
  FieldErrors errors;
  // Determined's sentence, and what would work.
  add_field_error(errors, std::string(model::kPoolField),
                  "resource pool " + pool + " does not exist or is not available to workspace ID " +
                      to_string(workspace) +
                      "; it is kept for others: choose another one, or have an administrator "
                      "bind it (det resource-pool bindings add)");
  co_return wrong_config(std::move(errors));
}

}  // namespace det::accept
