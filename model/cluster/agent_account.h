#pragma once

// As whom a user's tasks run on the nodes, where files of a shared file system belong to somebody. Plain values.

#include <optional>
#include <string>

namespace det::model {

struct AgentAccount {
  int uid = 0;
  int gid = 0;
  std::string user;  // their names; may be empty
  std::string group;

  bool operator==(const AgentAccount&) const = default;
};

// What a workspace says of the account of its tasks: each part that it names counts before the user's own.
struct AgentAccountOverride {
  std::optional<int> uid;
  std::optional<int> gid;
  std::optional<std::string> user;
  std::optional<std::string> group;

  bool operator==(const AgentAccountOverride&) const = default;
  [[nodiscard]] bool is_empty() const { return *this == AgentAccountOverride(); }
};

}  // namespace det::model
