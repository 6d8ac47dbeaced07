#include "wire/user.h"

namespace det::wire {

Json to_json(const User& user) {
  Json agent = nullptr;
  if (user.agent) {
    agent = {{"agentUid", user.agent->uid},
             {"agentGid", user.agent->gid},
             {"agentUser", user.agent->user},
             {"agentGroup", user.agent->group}};
  }
  Json out = {{"id", user.id.value},
              {"username", user.username},
              {"displayName", user.display_name},
              {"admin", user.admin},
              {"active", user.active},
              {"remote", user.remote},
              {"agentUserGroup", agent},
              {"modifiedAt", time(user.modified_at)}};
  if (user.last_auth_at) out["lastAuthAt"] = time(*user.last_auth_at);
  return out;
}

}  // namespace det::wire
