#pragma once

// The state as it will be when the batch of the writer is committed: the store, and on top of it what mutations of the
// batch have done so far. A mutation checks everything first and then changes: there is no way back. Io thread.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/wall_time.h"
#include "local/kubeapi/object_store.h"

namespace det::local::kubeapi {

class Staging {
 public:
  Staging(const ObjectStore& store, WallTime now) : store_(store), now_(now), version_(store.version()) {}

  [[nodiscard]] WallTime now() const { return now_; }
  [[nodiscard]] std::uint64_t version() const { return version_; }

  [[nodiscard]] ObjectRef find(const Place& place) const;
  [[nodiscard]] std::vector<ObjectRef> list(const std::string& collection, const std::string& ns) const;
  [[nodiscard]] bool has_uid(const std::string& uid) const;
  [[nodiscard]] std::vector<Place> dependents(const std::string& owner_uid) const;
  [[nodiscard]] std::vector<Place> contents(const std::string& ns) const;

  // Writes the object under the next version.
  ObjectRef put(const Place& place, nlohmann::json object);
  // Removes it; gives its last state with the version of the deletion.
  ObjectRef erase(const Place& place);

  [[nodiscard]] const std::vector<Change>& changes() const { return changes_; }

 private:
  const ObjectStore& store_;
  WallTime now_;
  std::uint64_t version_;
  std::map<Place, ObjectRef> overlay_;        // null: erased
  std::map<std::string, bool> changed_uids_;  // whether it is there now
  std::vector<Change> changes_;
};

}  // namespace det::local::kubeapi
