#pragma once

// v1User and the answers of login. Pure.

#include <optional>
#include <string>

#include "base/wall_time.h"
#include "model/cluster/agent_account.h"
#include "model/ids.h"
#include "wire/forms.h"

namespace det::wire {

struct User {
  model::UserId id;
  std::string username;
  std::string display_name;
  bool admin = false;
  bool active = true;
  bool remote = false;
  WallTime modified_at;
  std::optional<model::AgentAccount> agent;
  std::optional<WallTime> last_auth_at;
};

[[nodiscard]] Json to_json(const User& user);

}  // namespace det::wire
