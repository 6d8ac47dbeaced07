#pragma once

// As whom tasks run on the nodes, as users and workspaces are given it. Pure.

#include <optional>

#include "base/result.h"
#include "model/cluster/agent_account.h"
#include "wire/request_fields.h"

namespace det::api {

// Of the fields of agentUserGroup. Nothing where none is set: that takes the account away. Else all four are needed.
[[nodiscard]] Result<std::optional<model::AgentAccount>> read_agent_account(wire::RequestFields& group);

// The same of a workspace, which may name some parts only.
[[nodiscard]] Result<model::AgentAccountOverride> read_account_override(wire::RequestFields& group);

}  // namespace det::api
