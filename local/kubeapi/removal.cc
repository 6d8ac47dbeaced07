// Deletion: at once, or marked and left to those who must agree first.

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/json_get.h"
#include "local/agent/pod_spec_view.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/operations.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr std::int64_t kDefaultGraceSeconds = 30;

ApiResult<void> check_preconditions(const WriteTarget& target, const json& object, const DeleteOptions& options) {
  const Subject subject = target.type->subject(target.name);
  if (!options.uid.empty() && options.uid != uid_of(object)) {
    return std::unexpected(conflict(subject, "Precondition failed: UID in precondition: " + options.uid +
                                                 ", UID in object meta: " + uid_of(object)));
  }
  const std::string version = get_string(meta_of(object), "resourceVersion");
  if (!options.resource_version.empty() && options.resource_version != version) {
    return std::unexpected(
        conflict(subject, "Precondition failed: ResourceVersion in precondition: " + options.resource_version +
                              ", ResourceVersion in object meta: " + version));
  }
  const bool is_protected =
      target.type->collection() == "namespaces" && (target.name == "default" || target.name == "kube-system");
  if (is_protected) return std::unexpected(forbidden(subject, "this namespace may not be deleted"));
  return {};
}

// How long its containers get; nothing when nobody runs it.
std::int64_t grace_of(const WriteTarget& target, const json& object, const DeleteOptions& options) {
  if (target.type->collection() != "pods") return 0;
  const json& spec = get_object(object, "spec");
  const std::string phase = get_string(get_object(object, "status"), "phase");
  if (get_string(spec, "nodeName").empty() || phase == "Succeeded" || phase == "Failed") return 0;
  const json& own = get_any(spec, "terminationGracePeriodSeconds");
  const std::int64_t wanted = own.is_number_integer() ? own.get<std::int64_t>() : kDefaultGraceSeconds;
  // Added to a time, one of centuries would lie before it.
  return std::clamp<std::int64_t>(options.grace_seconds.value_or(wanted), 0, kLongestSeconds);
}

// Dependents lose their reference to the owner and stay.
void orphan_dependents(Staging& staging, const std::string& uid) {
  for (const Place& place : staging.dependents(uid)) {
    json object = staging.find(place)->value;
    json& owners = object["metadata"]["ownerReferences"];
    for (auto owner = owners.begin(); owner != owners.end();) {
      owner = get_string(*owner, "uid") == uid ? owners.erase(owner) : owner + 1;
    }
    if (owners.empty()) object["metadata"].erase("ownerReferences");
    staging.put(place, std::move(object));
  }
}

json success(const WriteTarget& target, const json& object) {
  json details = {{"name", target.name}, {"kind", target.type->plural}, {"uid", uid_of(object)}};
  if (!target.type->group.empty()) details["group"] = target.type->group;
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", json::object()},
          {"status", "Success"},
          {"details", std::move(details)}};
}

Written mark(Staging& staging, const WriteTarget& target, const ObjectRef& stored, std::int64_t grace,
             const std::string& finalizer) {
  json object = stored->value;
  json& meta = object["metadata"];
  const bool was_deleting = meta.contains("deletionTimestamp");
  const bool is_shorter = was_deleting && grace < get_integer(meta, "deletionGracePeriodSeconds");
  if (!was_deleting || is_shorter) {
    meta["deletionTimestamp"] = format_rfc3339_seconds(staging.now() + std::chrono::seconds(grace));
    meta["deletionGracePeriodSeconds"] = grace;
    if (meta.contains("generation")) meta["generation"] = get_integer(meta, "generation") + 1;
  }
  if (!finalizer.empty()) {
    const auto known = finalizers_of(object);
    if (std::ranges::find(known, finalizer) == known.end()) meta["finalizers"].push_back(finalizer);
  }
  if (target.type->collection() == "namespaces") object["status"]["phase"] = "Terminating";
  if (object == stored->value) return {stored, 200};
  return {staging.put(target.place(), std::move(object)), 200};
}

// A definition takes its objects with it, whatever their finalizers say: nobody could be asked about them any more.
void remove_instances(Staging& staging, const json& definition) {
  std::vector<FieldError> ignored;
  const std::string collection = read_definition(definition, ignored).collection();
  for (const ObjectRef& object : staging.list(collection, "")) {
    staging.erase({.collection = collection, .ns = namespace_of(object->value), .name = name_of(object->value)});
  }
}

}  // namespace

ApiResult<DeleteOptions> read_delete_options(const json& body, const std::string& grace,
                                             const std::string& propagation) {
  DeleteOptions options;
  const json& seconds = get_any(body, "gracePeriodSeconds");
  if (seconds.is_number_integer()) options.grace_seconds = seconds.get<std::int64_t>();
  if (!grace.empty()) {
    std::int64_t value = 0;
    const auto read = std::from_chars(grace.data(), grace.data() + grace.size(), value);
    if (read.ec != std::errc()) return std::unexpected(bad_request("gracePeriodSeconds is not a number"));
    options.grace_seconds = value;
  }
  std::string wanted = get_string(body, "propagationPolicy");
  if (!propagation.empty()) wanted = propagation;
  if (get_any(body, "orphanDependents") == true) wanted = "Orphan";
  if (!wanted.empty()) options.propagation = wanted;
  if (options.propagation != "Background" && options.propagation != "Foreground" && options.propagation != "Orphan") {
    return std::unexpected(invalid(
        {"meta.k8s.io", "deleteoptions", "DeleteOptions", ""},
        {not_supported("propagationPolicy", options.propagation, {"Foreground", "Background", "Orphan", "nil"})}));
  }
  options.uid = get_string(get_object(body, "preconditions"), "uid");
  options.resource_version = get_string(get_object(body, "preconditions"), "resourceVersion");
  return options;
}

Outcome remove(Staging& staging, const WriteTarget& target, const DeleteOptions& options) {
  const ObjectRef stored = staging.find(target.place());
  if (stored == nullptr) return std::unexpected(not_found(target.type->subject(target.name)));
  DET_TRY(check_preconditions(target, stored->value, options));
  if (options.propagation == "Orphan") orphan_dependents(staging, uid_of(stored->value));
  // Only those who would wait need to be waited for.
  const bool waits = options.propagation == "Foreground" && !staging.dependents(uid_of(stored->value)).empty();
  const std::int64_t grace = grace_of(target, stored->value, options);
  const bool is_namespace = target.type->collection() == "namespaces";
  const bool is_held = waits || grace > 0 || is_namespace || !finalizers_of(stored->value).empty();
  if (is_held) {
    Written marked = mark(staging, target, stored, grace, waits ? kForegroundDeletion : "");
    return marked;
  }
  if (target.type->collection() == kDefinitions) remove_instances(staging, stored->value);
  const bool shows_object = target.type->collection() == "pods";
  const ObjectRef last = staging.erase(target.place());
  if (shows_object) return Written{last, 200};
  return Written{make_stored(success(target, last->value), last->version, 0), 200};
}

ObjectRef finish_if_released(Staging& staging, const Place& place, ObjectRef object) {
  const json& meta = meta_of(object->value);
  const bool is_held = !meta.contains("deletionTimestamp") || !finalizers_of(object->value).empty() ||
                       get_integer(meta, "deletionGracePeriodSeconds") > 0 || place.collection == "namespaces";
  if (is_held) return object;
  if (place.collection == kDefinitions) remove_instances(staging, object->value);
  return staging.erase(place);
}

}  // namespace det::local::kubeapi
