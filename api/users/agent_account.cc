#include "api/users/agent_account.h"

#include <string>
#include <utility>

namespace det::api {
namespace {

Result<std::optional<int>> read_id(wire::RequestFields& group, const std::string& name) {
  constexpr std::int64_t kLargestId = 2'147'483'647;
  const auto id = group.integer(name);
  if (!id) return std::nullopt;
  if (*id >= 0 && *id <= kLargestId) return static_cast<int>(*id);
  const std::string field = "agentUserGroup." + name;
  return fail(ErrorCode::kInvalidArgument,
              field + ": must be a number from 0 to 2147483647, but is " + std::to_string(*id), field);
}

}  // namespace

Result<model::AgentAccountOverride> read_account_override(wire::RequestFields& group) {
  const auto uid = read_id(group, "agentUid");
  DET_TRY(uid);
  const auto gid = read_id(group, "agentGid");
  DET_TRY(gid);
  model::AgentAccountOverride account{
      .uid = *uid, .gid = *gid, .user = group.string("agentUser"), .group = group.string("agentGroup")};
  DET_TRY(group.status());
  return account;
}

Result<std::optional<model::AgentAccount>> read_agent_account(wire::RequestFields& group) {
  const auto parts = read_account_override(group);
  DET_TRY(parts);
  if (parts->is_empty()) return std::nullopt;
  // Determined's texts.
  constexpr auto kField = "agentUserGroup";
  if (!parts->uid || !parts->gid || !parts->user || !parts->group) {
    return fail(ErrorCode::kInvalidArgument, "agentUid, agentGid, agentUser and agentGroup cannot be empty", kField);
  }
  if (parts->user->empty() || parts->group->empty()) {
    return fail(ErrorCode::kInvalidArgument, "agentUser and agentGroup names cannot be empty", kField);
  }
  return model::AgentAccount{.uid = *parts->uid, .gid = *parts->gid, .user = *parts->user, .group = *parts->group};
}

}  // namespace det::api
