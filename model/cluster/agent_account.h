#pragma once

// As whom a user's tasks run on the nodes, where files of a shared file system belong to somebody. Plain value.

#include <string>

namespace det::model {

struct AgentAccount {
  int uid = 0;
  int gid = 0;
  std::string user;  // their names; may be empty
  std::string group;

  bool operator==(const AgentAccount&) const = default;
};

}  // namespace det::model
