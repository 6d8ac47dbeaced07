#include "local/kubeapi/object_store.h"

#include <utility>

#include "local/kubeapi/api_error.h"
#include "local/kubeapi/object_meta.h"

namespace det::local::kubeapi {

using nlohmann::json;

ObjectRef make_stored(json value, std::uint64_t version, std::uint64_t created) {
  auto object = std::make_shared<StoredObject>();
  object->text = dump(value);
  object->value = std::move(value);
  object->version = version;
  object->created = created;
  return object;
}

ObjectStore::ObjectStore(asio::any_io_executor executor, std::size_t history, std::size_t history_bytes)
    : executor_(std::move(executor)), history_(history), history_bytes_(history_bytes) {}

void ObjectStore::load(const std::vector<std::pair<Place, ObjectRef>>& objects, std::uint64_t version) {
  version_ = version;
  for (const auto& [place, object] : objects) {
    collection(place.collection)->objects[{place.ns, place.name}] = object;
    index(place, nullptr, object);
  }
}

ObjectRef ObjectStore::find(const Place& place) const {
  const auto collection = collections_.find(place.collection);
  if (collection == collections_.end()) return nullptr;
  const auto object = collection->second->objects.find({place.ns, place.name});
  return object == collection->second->objects.end() ? nullptr : object->second;
}

std::vector<ObjectRef> ObjectStore::list(const std::string& collection, const std::string& ns) const {
  std::vector<ObjectRef> out;
  const auto found = collections_.find(collection);
  if (found == collections_.end()) return out;
  const auto& objects = found->second->objects;
  auto at = ns.empty() ? objects.begin() : objects.lower_bound({ns, ""});
  for (; at != objects.end() && (ns.empty() || at->first.first == ns); ++at) out.push_back(at->second);
  return out;
}

std::optional<Place> ObjectStore::place_of(const std::string& uid) const {
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return std::nullopt;
  return found->second;
}

std::vector<Place> ObjectStore::dependents(const std::string& owner_uid) const {
  const auto found = by_owner_.find(owner_uid);
  if (found == by_owner_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

std::vector<Place> ObjectStore::contents(const std::string& ns) const {
  std::vector<Place> out;
  for (const auto& [name, collection] : collections_) {
    for (auto at = collection->objects.lower_bound({ns, ""}); at != collection->objects.end() && at->first.first == ns;
         ++at) {
      out.push_back({.collection = name, .ns = ns, .name = at->first.second});
    }
  }
  return out;
}

std::shared_ptr<Collection> ObjectStore::collection(const std::string& name) {
  auto& collection = collections_[name];
  if (collection == nullptr) collection = std::make_shared<Collection>(executor_, version_);
  return collection;
}

void ObjectStore::close(const std::string& name) {
  const auto found = collections_.find(name);
  if (found == collections_.end()) return;
  found->second->is_closed = true;
  found->second->changed.notify_all();
  collections_.erase(found);
}

void ObjectStore::publish(const std::vector<Change>& changes, std::uint64_t version) {
  std::set<std::shared_ptr<Collection>> touched;
  for (const Change& change : changes) {
    const auto into = collection(change.place.collection);
    const std::pair key(change.place.ns, change.place.name);
    if (change.type == Change::Type::kDeleted) {
      into->objects.erase(key);
      index(change.place, change.before, nullptr);
    } else {
      into->objects[key] = change.now;
      index(change.place, change.before, change.now);
    }
    into->events.push_back(change);
    into->event_bytes += change.now->text.size();
    while (into->events.size() > history_ || (into->event_bytes > history_bytes_ && into->events.size() > 1)) {
      into->oldest = into->events.front().now->version;
      into->event_bytes -= into->events.front().now->text.size();
      into->events.pop_front();
    }
    touched.insert(into);
  }
  version_ = version;
  for (const Change& change : changes) {
    for (const auto& observer : observers_) observer(change);
  }
  for (const auto& collection : touched) collection->changed.notify_all();
}

void ObjectStore::wake_watchers() {
  for (const auto& [name, collection] : collections_) collection->changed.notify_all();
}

void ObjectStore::compact() {
  for (const auto& [name, collection] : collections_) {
    collection->events.clear();
    collection->event_bytes = 0;
    collection->oldest = version_;
  }
}

void ObjectStore::index(const Place& place, const ObjectRef& before, const ObjectRef& now) {
  if (before != nullptr) {
    by_uid_.erase(uid_of(before->value));
    for (const auto& owner : owner_uids_of(before->value)) {
      const auto found = by_owner_.find(owner);
      if (found == by_owner_.end()) continue;
      found->second.erase(place);
      if (found->second.empty()) by_owner_.erase(found);
    }
  }
  if (now != nullptr) {
    by_uid_[uid_of(now->value)] = place;
    for (const auto& owner : owner_uids_of(now->value)) by_owner_[owner].insert(place);
  }
}

}  // namespace det::local::kubeapi
