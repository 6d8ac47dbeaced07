#include "local/kubeapi/staging.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "local/kubeapi/object_meta.h"

namespace det::local::kubeapi {

using nlohmann::json;

ObjectRef Staging::find(const Place& place) const {
  const auto staged = overlay_.find(place);
  return staged == overlay_.end() ? store_.find(place) : staged->second;
}

std::vector<ObjectRef> Staging::list(const std::string& collection, const std::string& ns) const {
  std::vector<ObjectRef> out;
  for (const ObjectRef& object : store_.list(collection, ns)) {
    const Place place{.collection = collection, .ns = namespace_of(object->value), .name = name_of(object->value)};
    if (!overlay_.contains(place)) out.push_back(object);
  }
  for (const auto& [place, object] : overlay_) {
    if (object != nullptr && place.collection == collection && (ns.empty() || place.ns == ns)) out.push_back(object);
  }
  return out;
}

bool Staging::has_uid(const std::string& uid) const {
  const auto changed = changed_uids_.find(uid);
  return changed == changed_uids_.end() ? store_.has_uid(uid) : changed->second;
}

std::vector<Place> Staging::dependents(const std::string& owner_uid) const {
  std::vector<Place> out = store_.dependents(owner_uid);
  std::erase_if(out, [this](const Place& place) { return overlay_.contains(place); });
  for (const auto& [place, object] : overlay_) {
    if (object == nullptr) continue;
    const auto owners = owner_uids_of(object->value);
    if (std::ranges::find(owners, owner_uid) != owners.end()) out.push_back(place);
  }
  return out;
}

std::vector<Place> Staging::contents(const std::string& ns) const {
  std::vector<Place> out = store_.contents(ns);
  std::erase_if(out, [this](const Place& place) { return overlay_.contains(place); });
  for (const auto& [place, object] : overlay_) {
    if (object != nullptr && place.ns == ns) out.push_back(place);
  }
  return out;
}

ObjectRef Staging::put(const Place& place, json object) {
  ObjectRef before = find(place);
  ++version_;
  object["metadata"]["resourceVersion"] = std::to_string(version_);
  ObjectRef now = make_stored(std::move(object), version_, before == nullptr ? version_ : before->created);
  const auto type = before == nullptr ? Change::Type::kAdded : Change::Type::kModified;
  changed_uids_[uid_of(now->value)] = true;
  changes_.push_back({.type = type, .place = place, .before = std::move(before), .now = now});
  overlay_[place] = now;
  return now;
}

ObjectRef Staging::erase(const Place& place) {
  ObjectRef before = find(place);
  DET_CHECK(before != nullptr, "only what is there is erased");
  json last = before->value;
  ++version_;
  last["metadata"]["resourceVersion"] = std::to_string(version_);
  ObjectRef now = make_stored(std::move(last), version_, before->created);
  changed_uids_[uid_of(now->value)] = false;
  changes_.push_back({.type = Change::Type::kDeleted, .place = place, .before = std::move(before), .now = now});
  overlay_[place] = nullptr;
  return now;
}

}  // namespace det::local::kubeapi
