#pragma once

// The numbered steps of store/schema/*.sql, embedded at build time, for pg::migrate.

#include <vector>

#include "pg/migrate.h"

namespace det::store {

[[nodiscard]] std::vector<pg::Migration> schema_migrations();

}  // namespace det::store
