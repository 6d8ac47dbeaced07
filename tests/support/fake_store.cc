#include "tests/support/fake_store.h"

#include <cstdio>
#include <utility>

#include "base/json_get.h"

namespace det::test {

using nlohmann::json;

StoreAnswer refusal(int status, const std::string& reason, const std::string& message, const std::string& field) {
  json body = {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
               {"status", "Failure"}, {"message", message}, {"reason", reason},
               {"code", status}};
  if (!field.empty()) body["details"] = {{"causes", json::array({{{"field", field}, {"message", message}}})}};
  return {.status = status, .body = std::move(body)};
}

namespace {

constexpr int kDefaultGrace = 30;

std::string plural_of(const std::string& collection) {
  return collection.substr(collection.rfind('/') + 1);
}

StoreAnswer not_found(const std::string& collection, const std::string& name) {
  return refusal(404, "NotFound", plural_of(collection) + " \"" + name + "\" not found");
}

StoreAnswer conflict(const std::string& collection, const std::string& name, const std::string& why) {
  return refusal(409, "Conflict",
                 "Operation cannot be fulfilled on " + plural_of(collection) + " \"" + name + "\": " + why);
}

// A pod on a node is first asked to end; its node agent removes it.
bool ends_gracefully(const std::string& collection, const json& object, const json& options) {
  const json& grace = get_any(options, "gracePeriodSeconds");
  const bool at_once = grace.is_number_integer() && grace.get<int>() == 0;
  return collection == "v1/pods" && !get_string(get_object(object, "spec"), "nodeName").empty() && !at_once;
}

bool has_finalizers(const json& object) {
  return !get_array(get_object(object, "metadata"), "finalizers").empty();
}

// Of an object that was to go, the last finalizer was taken away.
bool goes_at_last(const json& before, const json& after) {
  return get_object(after, "metadata").contains("deletionTimestamp") && has_finalizers(before) &&
         !has_finalizers(after);
}

}  // namespace

void FakeStore::record(const Id& id, const StoredObject& before, json after) {
  StoredChange change{
      .version = ++version_, .collection = id.collection, .ns = id.ns, .before = before, .after = nullptr};
  const std::string text = std::to_string(version_);
  // A deletion has a version of its own, later than that of the last state.
  if (after.is_null() || (before && goes_at_last(*before, after))) {
    json last = *before;
    last["metadata"]["resourceVersion"] = text;
    change.before = std::make_shared<const json>(std::move(last));
    objects_.erase(id);
  } else {
    after["metadata"]["resourceVersion"] = text;
    change.after = std::make_shared<const json>(std::move(after));
    objects_[id] = change.after;
  }
  history_.push_back(std::move(change));
}

StoreAnswer FakeStore::create(const std::string& collection, const std::string& ns, json object, bool dry_run) {
  json& metadata = object["metadata"];
  if (get_string(metadata, "name").empty()) {
    const std::string prefix = get_string(metadata, "generateName");
    if (prefix.empty()) return refusal(422, "Invalid", "name or generateName is required", "metadata.name");
    metadata["name"] = prefix + std::to_string(next_uid_);
  }
  const Id id{.collection = collection, .ns = ns, .name = get_string(metadata, "name")};
  if (objects_.contains(id)) {
    return refusal(409, "AlreadyExists", plural_of(collection) + " \"" + id.name + "\" already exists");
  }
  char uid[40];
  std::snprintf(uid, sizeof uid, "00000000-0000-4000-8000-%012llu", static_cast<unsigned long long>(next_uid_++));
  metadata["uid"] = uid;
  metadata["generation"] = 1;
  metadata["creationTimestamp"] = format_rfc3339_seconds(clock_.wall_now());
  if (!ns.empty()) metadata["namespace"] = ns;
  object.erase("status");
  if (dry_run) return {.status = 201, .body = std::move(object)};
  record(id, nullptr, std::move(object));
  return {.status = 201, .body = *objects_.at(id)};
}

StoreAnswer FakeStore::get(const std::string& collection, const std::string& ns, const std::string& name) const {
  const auto found = objects_.find({.collection = collection, .ns = ns, .name = name});
  if (found == objects_.end()) return not_found(collection, name);
  return {.status = 200, .body = *found->second};
}

StoreAnswer FakeStore::replace(const std::string& collection, const std::string& ns, const std::string& name,
                               json changed, const std::string& subresource, bool dry_run) {
  const Id id{.collection = collection, .ns = ns, .name = name};
  const auto found = objects_.find(id);
  if (found == objects_.end()) return not_found(collection, name);
  const StoredObject stored = found->second;
  const json& before = *stored;
  const json& old_metadata = before.at("metadata");
  json& metadata = changed["metadata"];
  const std::string version = get_string(metadata, "resourceVersion");
  if (!version.empty() && version != get_string(old_metadata, "resourceVersion")) {
    return conflict(collection, name, "the object has been modified; please apply your changes to the latest version");
  }
  const std::string uid = get_string(metadata, "uid");
  if (!uid.empty() && uid != get_string(old_metadata, "uid")) {
    return conflict(collection, name,
                    "Precondition failed: UID in precondition: " + uid +
                        ", UID in object meta: " + get_string(old_metadata, "uid"));
  }
  json after = before;
  if (subresource.empty()) {
    after = std::move(changed);
    if (before.contains("status")) {
      after["status"] = before["status"];
    } else {
      after.erase("status");
    }
    for (const char* key : {"uid", "creationTimestamp", "resourceVersion", "generation", "name", "namespace"}) {
      if (old_metadata.contains(key)) after["metadata"][key] = old_metadata[key];
    }
    if (get_any(after, "spec") != get_any(before, "spec")) {
      after["metadata"]["generation"] = get_integer(old_metadata, "generation") + 1;
    }
  } else {
    after[subresource] = get_any(changed, subresource);
  }
  if (dry_run || after == before) return {.status = 200, .body = std::move(after)};
  json answer = after;
  record(id, stored, std::move(after));
  const auto now = objects_.find(id);
  return {.status = 200, .body = now == objects_.end() ? std::move(answer) : *now->second};
}

void FakeStore::overwrite(const std::string& collection, const std::string& ns, const std::string& name, json object) {
  const Id id{.collection = collection, .ns = ns, .name = name};
  const StoredObject before = objects_.at(id);
  if (object != *before) record(id, before, std::move(object));
}

StoreAnswer FakeStore::remove(const std::string& collection, const std::string& ns, const std::string& name,
                              const json& options) {
  const Id id{.collection = collection, .ns = ns, .name = name};
  const auto found = objects_.find(id);
  if (found == objects_.end()) return not_found(collection, name);
  const StoredObject stored = found->second;
  const json& before = *stored;
  const std::string uid = get_string(before.at("metadata"), "uid");
  const std::string wanted = get_string(get_object(options, "preconditions"), "uid");
  if (!wanted.empty() && wanted != uid) {
    return conflict(collection, name,
                    "Precondition failed: UID in precondition: " + wanted + ", UID in object meta: " + uid);
  }
  if (ends_gracefully(collection, before, options)) {
    json after = before;
    if (after["metadata"].contains("deletionTimestamp")) return {.status = 200, .body = before};
    const json& asked = get_any(options, "gracePeriodSeconds");
    const int grace = asked.is_number_integer() ? asked.get<int>() : kDefaultGrace;
    after["metadata"]["deletionTimestamp"] = format_rfc3339_seconds(clock_.wall_now() + std::chrono::seconds(grace));
    after["metadata"]["deletionGracePeriodSeconds"] = grace;
    record(id, stored, std::move(after));
    return {.status = 200, .body = *objects_.at(id)};
  }
  if (has_finalizers(before)) {
    json after = before;
    if (after["metadata"].contains("deletionTimestamp")) return {.status = 200, .body = before};
    after["metadata"]["deletionTimestamp"] = format_rfc3339_seconds(clock_.wall_now());
    record(id, stored, std::move(after));
    return {.status = 200, .body = *objects_.at(id)};
  }
  record(id, stored, nullptr);
  return {.status = 200, .body = {{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}}};
}

std::vector<StoredObject> FakeStore::all(const std::string& collection, const std::string& ns) const {
  std::vector<StoredObject> found;
  for (const auto& [id, object] : objects_) {
    if (id.collection == collection && (ns.empty() || id.ns == ns)) found.push_back(object);
  }
  return found;
}

std::vector<std::pair<std::string, json>> FakeStore::everything() const {
  std::vector<std::pair<std::string, json>> found;
  for (const auto& [id, object] : objects_) found.emplace_back(id.collection, *object);
  return found;
}

}  // namespace det::test
