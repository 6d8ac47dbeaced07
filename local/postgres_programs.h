#pragma once

// Which PostgreSQL of this machine a data folder is given to. A server reads only what its own major version wrote.

#include <string>
#include <vector>

#include "base/result.h"

namespace det::local {

struct PostgresPrograms {
  int major = 0;
  std::string folder;  // of `postgres` and `initdb`
  friend bool operator==(const PostgresPrograms&, const PostgresPrograms&) = default;
};

// The servers there are, the preferred one first: below `prefix` (where this program is bin/det-operator), which is
// what came with it; then Debian's, which are not on PATH, newest first; then those in the usual places, which are
// asked for their version.
[[nodiscard]] std::vector<PostgresPrograms> find_postgres(const std::string& prefix);

// The first of `found` that may have `data`: any for a folder that is empty or does not exist yet, else one of the
// major version that wrote it. kFailedPrecondition, with what to do, when there is none, or when the folder holds
// something else than a database. Changes nothing.
[[nodiscard]] Result<PostgresPrograms> choose_postgres(const std::vector<PostgresPrograms>& found,
                                                       const std::string& data);

}  // namespace det::local
