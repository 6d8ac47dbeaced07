#pragma once

// What people call the workspaces, groups and users that answers name by their ids: each is asked for once. Belongs to
// one thread.

#include <map>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/task.h"
#include "cli/master_client.h"
#include "cli/text.h"

namespace det::cli {

class ThingNames {
 public:
  explicit ThingNames(MasterClient client) : client_(std::move(client)) {}

  // Of an id as answers have it; null for null.
  Task<Result<Json>> workspace(Json id) { return name_of("/api/v1/workspaces/", std::move(id), "workspace", "name"); }
  Task<Result<Json>> group(Json id) { return name_of("/api/v1/groups/", std::move(id), "group", "name"); }
  Task<Result<Json>> user(Json id) { return name_of("/api/v1/users/", std::move(id), "user", "username"); }

 private:
  Task<Result<Json>> name_of(std::string path, Json id, std::string kind, std::string key);

  MasterClient client_;
  std::map<std::string, Json> known_;
};

}  // namespace det::cli
