#pragma once

// What pages keep for each user: texts by path and key. Belongs to the io thread; Pool outlives it.

#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

struct UserSetting {
  std::string storage_path;
  std::string key;
  std::string value;
};

class SettingStore {
 public:
  // Of one user.
  static constexpr int kMost = 1'000;

  explicit SettingStore(pg::Pool& pool) : pool_(pool) {}

  // By path and key.
  Task<Result<std::vector<UserSetting>>> list(model::UserId user);
  // Those of the same path and key are replaced. kFailedPrecondition when the user would have more than kMost.
  Task<Status> set(model::UserId user, std::vector<UserSetting> settings);
  Task<Status> reset(model::UserId user);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
