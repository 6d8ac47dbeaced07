#pragma once

// All objects in memory, as PostgreSQL has them: what was committed, in the order of commit, with the recent history
// that watches resume from. Belongs to the io thread; only the writer publishes.

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/async.h"

namespace det::local::kubeapi {

struct Place {
  std::string collection;  // ResourceType::collection()
  std::string ns;          // empty for cluster-scoped objects
  std::string name;

  auto operator<=>(const Place&) const = default;
};

struct StoredObject {
  nlohmann::json value;
  std::string text;           // value as JSON, made once
  std::uint64_t version = 0;  // metadata.resourceVersion
  std::uint64_t created = 0;  // the version of its creation: the order of submission
};
using ObjectRef = std::shared_ptr<const StoredObject>;

struct Change {
  enum class Type : std::uint8_t { kAdded, kModified, kDeleted };
  Type type = Type::kAdded;
  Place place;
  ObjectRef before;  // null when added
  ObjectRef now;     // when deleted: the last state, with the version of the deletion
};

// One kind of objects. Watches keep it alive after its definition is gone.
struct Collection {
  Collection(asio::any_io_executor executor, std::uint64_t since) : oldest(since), changed(std::move(executor)) {}

  std::map<std::pair<std::string, std::string>, ObjectRef> objects;  // by namespace and name
  std::deque<Change> events;
  std::size_t event_bytes = 0;  // of their objects' texts
  std::uint64_t oldest;         // changes after this version are in `events`
  Signal changed;
  bool is_closed = false;
};

class ObjectStore {
 public:
  // Keeps the last `history` changes of each collection, and fewer where their objects are more than so many bytes.
  ObjectStore(asio::any_io_executor executor, std::size_t history, std::size_t history_bytes);

  // Once, before anything else: the content of the database.
  void load(const std::vector<std::pair<Place, ObjectRef>>& objects, std::uint64_t version);
  [[nodiscard]] std::uint64_t version() const { return version_; }

  // Null when there is none.
  [[nodiscard]] ObjectRef find(const Place& place) const;
  // By namespace and name; an empty namespace means all.
  [[nodiscard]] std::vector<ObjectRef> list(const std::string& collection, const std::string& ns) const;
  [[nodiscard]] bool has_uid(const std::string& uid) const { return by_uid_.contains(uid); }
  [[nodiscard]] std::optional<Place> place_of(const std::string& uid) const;
  [[nodiscard]] std::vector<Place> dependents(const std::string& owner_uid) const;
  [[nodiscard]] std::vector<Place> contents(const std::string& ns) const;

  // The collection, made when it is not there; its history begins now.
  std::shared_ptr<Collection> collection(const std::string& name);
  // Ends its watches and forgets it.
  void close(const std::string& name);

  // What was committed, in order. Observers see every change, then watchers wake.
  void publish(const std::vector<Change>& changes, std::uint64_t version);
  void observe(std::function<void(const Change&)> observer) { observers_.push_back(std::move(observer)); }

  void wake_watchers();
  // Forgets the history: watches from before now are told 410.
  void compact();

 private:
  void index(const Place& place, const ObjectRef& before, const ObjectRef& now);

  asio::any_io_executor executor_;
  std::size_t history_;
  std::size_t history_bytes_;
  std::uint64_t version_ = 0;
  std::map<std::string, std::shared_ptr<Collection>> collections_;
  std::unordered_map<std::string, Place> by_uid_;
  std::unordered_map<std::string, std::set<Place>> by_owner_;
  std::vector<std::function<void(const Change&)>> observers_;
};

[[nodiscard]] ObjectRef make_stored(nlohmann::json value, std::uint64_t version, std::uint64_t created);

}  // namespace det::local::kubeapi
