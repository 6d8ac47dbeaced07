#include "accept/new_task.h"

#include <utility>

#include "base/encoding.h"
#include "base/ssh_key.h"

namespace det::accept {

Result<store::NewTask> new_task(model::TaskType type, ShownByTensorBoard shown, AcceptedTask accepted) {
  store::NewTask row;
  row.id = uuid_v4();
  row.type = model::task_word(type);
  row.workspace = accepted.workspace;
  row.description = accepted.config.config.description;
  row.config = std::move(accepted.config.document);
  row.config_hash = std::move(accepted.config.hash);
  row.context = std::move(accepted.code);
  row.experiments = std::move(shown.experiments);
  row.trials = std::move(shown.trials);
  if (type == model::TaskType::kNotebook) row.access.token = random_token(32);
  if (type == model::TaskType::kShell) {
    auto keys = make_ssh_keys("shell-" + row.id);
    DET_TRY(keys);
    row.access.private_key = std::move(keys->private_key);
    row.access.public_key = std::move(keys->public_key);
  }
  return row;
}

}  // namespace det::accept
