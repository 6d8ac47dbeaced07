#pragma once

// The PostgreSQL tables behind the store. Blocking; one thread at a time. Holds a session lock, so that one process at
// a time serves a database.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "local/kubeapi/object_store.h"

namespace det::local::kubeapi {

struct StoredState {
  std::vector<std::pair<Place, ObjectRef>> objects;
  std::uint64_t version = 0;
};

class ObjectTable {
 public:
  explicit ObjectTable(std::string url);
  ~ObjectTable();

  // Connects, brings the schema `kube` up to date, takes the lock and reads everything. kFailedPrecondition when
  // another process serves this database.
  Result<StoredState> open();
  // All or nothing, durable when it returns: moves the version from `from` to `to`. The same call again after
  // kUnavailable is safe. kFailedPrecondition when somebody else has written.
  Status commit(const std::vector<Change>& changes, std::uint64_t from, std::uint64_t to);

 private:
  struct Connection;
  Status connect();
  Result<std::uint64_t> read_version();

  std::string url_;
  std::unique_ptr<Connection> connection_;
  bool is_open_ = false;
};

}  // namespace det::local::kubeapi
