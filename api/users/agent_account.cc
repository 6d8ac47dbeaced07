#include "api/users/agent_account.h"

#include <string>
#include <utility>

namespace det::api {

Result<std::optional<model::AgentAccount>> read_agent_account(wire::RequestFields& group) {
  constexpr std::int64_t kLargestId = 2'147'483'647;
  const auto uid = group.integer("agentUid");
  const auto gid = group.integer("agentGid");
  const auto user = group.string("agentUser");
  const auto name = group.string("agentGroup");
  DET_TRY(group.status());
  if (!uid && !gid && !user && !name) return std::nullopt;
  for (const auto& [field, id] :
       {std::pair("agentUserGroup.agentUid", uid), std::pair("agentUserGroup.agentGid", gid)}) {
    if (id && *id >= 0 && *id <= kLargestId) continue;
    return fail(ErrorCode::kInvalidArgument, std::string(field) + ": must be a number from 0 to 2147483647", field);
  }
  return model::AgentAccount{.uid = static_cast<int>(*uid),
                             .gid = static_cast<int>(*gid),
                             .user = user.value_or(""),
                             .group = name.value_or("")};
}

}  // namespace det::api
