#pragma once

// Reading users from results, for the .cc files of store/.

#include <string>

#include "store/sql.h"
#include "store/users/user_store.h"

namespace det::store {

// Columns of users `alias`, in the order that read_user takes them.
[[nodiscard]] std::string user_columns(const std::string& alias);
constexpr int kUserColumns = 13;
[[nodiscard]] UserRow read_user(const pqxx::row& row, int first = 0);

}  // namespace det::store
