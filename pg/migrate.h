#pragma once

// Brings a database to the schema this program was built for. Forward only, one transaction a step, guarded by an
// advisory lock, so that replicas may start at once. Blocking: call it on a pool thread or before the io loop runs.

#include <string>
#include <vector>

#include "base/result.h"

namespace det::pg {

struct Migration {
  int number = 0;    // 1, 2, 3, ... without gaps
  std::string name;  // "001_initial"
  std::string sql;   // statements without BEGIN and COMMIT
};

// Applies what is missing and returns how many steps that were. kFailedPrecondition when the database is newer than the
// program or was migrated with other step names; kUnavailable when it cannot be reached. Nothing is half applied.
// `schema` (an identifier, [a-z_]+) holds the tables and the record of the steps, and is made when it is not there;
// empty: the connection's default. So parts of a program that share a database have steps of their own.
[[nodiscard]] Result<int> migrate(const std::string& url, const std::vector<Migration>& migrations,
                                  const std::string& schema = {});

}  // namespace det::pg
