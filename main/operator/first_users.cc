#include "main/operator/first_users.h"

#include <string>
#include <utility>
#include <vector>

#include "api/users/password.h"
#include "base/async.h"
#include "base/log.h"

namespace det::main {
namespace {

constexpr int kPasswordCost = 12;

Task<Status> replace_blank_passwords(Stores& stores, asio::thread_pool& workers, std::string password) {
  auto work = [password = std::move(password)]() {
    return api::hash_password(api::client_hash(password), kPasswordCost);
  };
  auto hash = co_await run_on(workers, std::move(work));
  DET_CO_TRY(hash);
  std::vector<std::string> usernames = {"admin", "determined"};
  auto replaced = co_await stores.users.replace_blank_passwords(std::move(usernames), hash->value_or(""));
  DET_CO_TRY(replaced);
  if (*replaced > 0) Logger("control-plane").info("blank passwords were replaced", {{"users", *replaced}});
  co_return Status();
}

}  // namespace

Task<Status> prepare_first_users(Stores& stores, asio::thread_pool& workers, const model::MasterConfig& master) {
  if (!master.initial_user_password.empty()) {
    DET_CO_TRY(co_await replace_blank_passwords(stores, workers, master.initial_user_password));
  }
  if (!master.authz.has_roles) co_return Status();
  const auto given = co_await stores.role_assignments.ensure_cluster_admin();
  DET_CO_TRY(given);
  if (*given > 0) {
    Logger("control-plane").info("nobody had the role ClusterAdmin: administrators got it", {{"users", *given}});
  }
  co_return Status();
}

}  // namespace det::main
