#include "store/users/setting_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kList =
    "SELECT storage_path, key, value FROM user_settings WHERE user_id = $1 ORDER BY storage_path, key";
const char* const kSet =
    "INSERT INTO user_settings (user_id, storage_path, key, value) VALUES ($1, $2, $3, $4) ON CONFLICT (user_id, "
    "storage_path, key) DO UPDATE SET value = excluded.value";
const char* const kUnset = "DELETE FROM user_settings WHERE user_id = $1 AND storage_path = $2 AND key = $3";
const char* const kCount = "SELECT count(*) FROM user_settings WHERE user_id = $1";
const char* const kReset = "DELETE FROM user_settings WHERE user_id = $1";

}  // namespace

Task<Result<std::vector<UserSetting>>> SettingStore::list(model::UserId user) {
  auto body = [user](pg::Transaction& tx) -> Result<std::vector<UserSetting>> {
    std::vector<UserSetting> settings;
    for (const auto& row : run_sql(tx, kList, user.value)) {
      settings.push_back({.storage_path = as_text(row[0]), .key = as_text(row[1]), .value = as_text(row[2])});
    }
    return settings;
  };
  co_return co_await pool_.read("list user settings", std::move(body));
}

Task<Status> SettingStore::set(model::UserId user, std::vector<UserSetting> settings) {
  auto body = [user, settings = std::move(settings)](pg::Transaction& tx) -> Status {
    for (const UserSetting& one : settings) {
      if (one.value.empty()) {
        run_sql(tx, kUnset, user.value, one.storage_path, one.key);
      } else {
        run_sql(tx, kSet, user.value, one.storage_path, one.key, one.value);
      }
    }
    if (run_sql1(tx, kCount, user.value)[0].as<int>() <= kMost) return {};
    return fail(ErrorCode::kFailedPrecondition,
                "settings: a user may have " + std::to_string(kMost) + "; reset them first", "settings");
  };
  co_return co_await pool_.write("set user settings", std::move(body));
}

Task<Status> SettingStore::reset(model::UserId user) {
  auto body = [user](pg::Transaction& tx) -> Status {
    run_sql(tx, kReset, user.value);
    return {};
  };
  co_return co_await pool_.write("reset user settings", std::move(body));
}

}  // namespace det::store
