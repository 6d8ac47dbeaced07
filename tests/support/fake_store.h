#pragma once

// The objects of a fake API server: versions, preconditions, generations and a history for watches, as the real server
// keeps them. Plain, synchronous; used through FakeApiServer.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"

namespace det::test {

// One state of an object, shared by all who look at it.
using StoredObject = std::shared_ptr<const nlohmann::json>;

// One write, as a watch must be told of it. There is no `before` of a creation, and no `after` of a deletion.
struct StoredChange {
  std::uint64_t version = 0;
  std::string collection;
  std::string ns;
  StoredObject before;
  StoredObject after;
};

// What the store says to a request: an HTTP status and the body (the object, or a Status).
struct StoreAnswer {
  int status = 200;
  nlohmann::json body;
};

[[nodiscard]] StoreAnswer refusal(int status, const std::string& reason, const std::string& message,
                                  const std::string& field = {});

class FakeStore {
 public:
  explicit FakeStore(Clock& clock) : clock_(clock) {}

  StoreAnswer create(const std::string& collection, const std::string& ns, nlohmann::json object, bool dry_run);
  StoreAnswer get(const std::string& collection, const std::string& ns, const std::string& name) const;
  // `changed` is what the object shall be; metadata.resourceVersion and uid, when given, are preconditions. With a
  // subresource only that part is taken, without one the status stays.
  StoreAnswer replace(const std::string& collection, const std::string& ns, const std::string& name,
                      nlohmann::json changed, const std::string& subresource, bool dry_run);
  // The object as it is given, without any of these rules. It exists.
  void overwrite(const std::string& collection, const std::string& ns, const std::string& name, nlohmann::json object);
  StoreAnswer remove(const std::string& collection, const std::string& ns, const std::string& name,
                     const nlohmann::json& options);
  // Objects of the collection (of one namespace, or of all when it is empty) in the order of their names.
  [[nodiscard]] std::vector<StoredObject> all(const std::string& collection, const std::string& ns) const;

  // Collection and object of everything there is.
  [[nodiscard]] std::vector<std::pair<std::string, nlohmann::json>> everything() const;

  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] const std::vector<StoredChange>& history() const { return history_; }
  // Positions before this one are gone for watches and for the pages of a list.
  [[nodiscard]] std::uint64_t oldest_version() const { return oldest_version_; }
  void compact() { oldest_version_ = version_; }

 private:
  struct Id {
    std::string collection;
    std::string ns;
    std::string name;
    auto operator<=>(const Id&) const = default;
  };
  void record(const Id& id, const StoredObject& before, nlohmann::json after);

  Clock& clock_;
  std::map<Id, StoredObject> objects_;
  std::vector<StoredChange> history_;
  std::uint64_t version_ = 100;
  std::uint64_t oldest_version_ = 100;
  std::uint64_t next_uid_ = 1;
};

}  // namespace det::test
