#include "local/kubeapi/operations.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "base/json_get.h"
#include "local/kubeapi/core_rules.h"
#include "local/kubeapi/object_meta.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

// Kind and apiVersion are ours to fill; others are somebody else's object.
ApiResult<void> check_kind(const ResourceType& type, json& object) {
  const std::string version = get_string(object, "apiVersion");
  const std::string kind = get_string(object, "kind");
  if (!version.empty() && version != type.api_version()) {
    return std::unexpected(bad_request("the API version in the data (" + version +
                                       ") does not match the expected API version (" + type.api_version() + ")"));
  }
  if (!kind.empty() && kind != type.kind) {
    return std::unexpected(bad_request(type.kind + " in version \"" + type.version + "\" cannot be handled as a " +
                                       type.kind + ": the kind in the data is " + kind));
  }
  object["apiVersion"] = type.api_version();
  object["kind"] = type.kind;
  return {};
}

std::string list_unknown(const std::vector<std::string>& unknown) {
  std::string text;
  for (const auto& path : unknown) text.append(text.empty() ? "" : ", ").append("unknown field \"" + path + "\"");
  return text;
}

// Drops what the type does not know and says so as the client wishes.
ApiResult<void> decode(const WriteTarget& target, json& object, std::vector<std::string>& warnings) {
  const ResourceType& type = *target.type;
  if (auto right = check_kind(type, object); !right) return right;
  auto unknown = prune_meta(object);
  json meta = std::move(object["metadata"]);
  object.erase("metadata");
  Schema const& schema = type.schema;
  auto more = prune(schema, object);
  // Every object has these, also where the schema does not name them.
  std::erase_if(more, [](const std::string& path) { return path == "apiVersion" || path == "kind"; });
  object["apiVersion"] = type.api_version();
  object["kind"] = type.kind;
  object["metadata"] = std::move(meta);
  unknown.insert(unknown.end(), more.begin(), more.end());
  if (unknown.empty() || target.validation == FieldValidation::kIgnore) return {};
  if (target.validation == FieldValidation::kStrict) {
    return std::unexpected(bad_request(type.kind + " in version \"" + type.version + "\" cannot be handled as a " +
                                       type.kind + ": strict decoding error: " + list_unknown(unknown)));
  }
  for (const auto& path : unknown) warnings.push_back("unknown field \"" + path + "\"");
  return {};
}

ApiResult<void> check(const WriteTarget& target, const json& object, const json* before) {
  std::vector<FieldError> errors;
  check_meta(*target.type, object, errors);
  // The schema's own idea of metadata is not ours to enforce.
  json rest = object;
  rest["metadata"] = json::object();
  validate(target.type->schema, rest, "", errors);
  check_rules(*target.type, object, before, errors);
  if (errors.empty()) validate_rules(target.type->schema, object, before, "", errors);
  if (errors.empty()) return {};
  return std::unexpected(invalid(target.type->subject(name_of(object)), errors));
}

ApiResult<void> check_namespace(const Staging& staging, const WriteTarget& target, const std::string& name) {
  if (!target.type->is_namespaced) return {};
  const ObjectRef ns = staging.find({.collection = "namespaces", .ns = {}, .name = target.ns});
  if (ns == nullptr) return std::unexpected(not_found({{}, "namespaces", "Namespace", target.ns}));
  if (is_deleting(ns->value)) {
    return std::unexpected(forbidden(target.type->subject(name), "unable to create new content in namespace " +
                                                                     target.ns + " because it is being terminated"));
  }
  return {};
}

bool tracks_generation(const ResourceType& type) {
  return type.is_custom || type.collection() == "pods" || type.collection() == kDefinitions;
}

bool requires_version(const ResourceType& type) {
  return type.is_custom || type.collection() == kDefinitions || type.plural == "leases" ||
         type.plural == "priorityclasses";
}

// Everything but metadata and what the status subresource writes.
json body_of(const ResourceType& type, json object) {
  object.erase("metadata");
  if (type.has_status) object.erase("status");
  return object;
}

ApiResult<void> check_identity(const WriteTarget& target, const json& before, const json& after) {
  const Subject subject = target.type->subject(target.name);
  const std::string uid = uid_of(after);
  if (!uid.empty() && uid != uid_of(before)) {
    return std::unexpected(conflict(
        subject, "Precondition failed: UID in precondition: " + uid + ", UID in object meta: " + uid_of(before)));
  }
  const std::string version = get_string(meta_of(after), "resourceVersion");
  if (version.empty() && requires_version(*target.type)) {
    return std::unexpected(invalid(subject, {{"metadata.resourceVersion", "FieldValueInvalid",
                                              "Invalid value: 0x0: must be specified for an update"}}));
  }
  if (!version.empty() && version != "0" && version != get_string(meta_of(before), "resourceVersion")) {
    return std::unexpected(stale_version(subject));
  }
  const std::string name = name_of(after);
  if (!name.empty() && name != target.name) {
    return std::unexpected(
        bad_request("the name of the object (" + name + ") does not match the name on the URL (" + target.name + ")"));
  }
  const std::string ns = namespace_of(after);
  if (!ns.empty() && ns != target.ns) {
    return std::unexpected(bad_request("the namespace of the object (" + ns +
                                       ") does not match the namespace on the request (" + target.ns + ")"));
  }
  return {};
}

ApiResult<void> check_finalizers(const WriteTarget& target, const json& before, const json& after) {
  if (!is_deleting(before)) return {};
  const auto old = finalizers_of(before);
  std::string added;
  for (const auto& finalizer : finalizers_of(after)) {
    if (std::ranges::find(old, finalizer) == old.end()) added.append(added.empty() ? "" : ", ").append(dump(finalizer));
  }
  if (added.empty()) return {};
  return std::unexpected(
      invalid(target.type->subject(target.name),
              {forbidden_field("metadata.finalizers",
                               "no new finalizers can be added if the object is being deleted, found new finalizers "
                               "[]string{" +
                                   added + "}")}));
}

// The common end of PUT and PATCH: `after` is what the client wants the object to be.
Outcome change(Staging& staging, const WriteTarget& target, const ObjectRef& stored, json after,
               std::vector<std::string>& warnings) {
  const ResourceType& type = *target.type;
  const json& before = stored->value;
  DET_TRY(decode(target, after, warnings));
  DET_TRY(check_identity(target, before, after));
  if (target.subresource == "status") {
    json status = get_any(after, "status");
    after = before;
    if (status.is_null()) {
      after.erase("status");
    } else {
      after["status"] = std::move(status);
    }
  } else {
    if (type.has_status) {
      after.erase("status");
      if (before.contains("status")) after["status"] = before["status"];
    }
    keep_server_fields(before, after);
    complete(type, after);
  }
  DET_TRY(check_finalizers(target, before, after));
  fill_defaults(type.schema, after);
  DET_TRY(check(target, after, &before));
  if (after == before) return Written{stored, 200};
  if (tracks_generation(type) && body_of(type, after) != body_of(type, before)) {
    after["metadata"]["generation"] = get_integer(meta_of(before), "generation") + 1;
  }
  ObjectRef now = staging.put(target.place(), std::move(after));
  return Written{finish_if_released(staging, target.place(), std::move(now)), 200};
}

}  // namespace

Outcome create(Staging& staging, const WriteTarget& target, json object, std::vector<std::string>& warnings) {
  const ResourceType& type = *target.type;
  DET_TRY(decode(target, object, warnings));
  json& meta = object["metadata"];
  if (get_string(meta, "resourceVersion") != "" && get_string(meta, "resourceVersion") != "0") {
    return std::unexpected(bad_request("resourceVersion should not be set on objects to be created"));
  }
  const std::string ns = get_string(meta, "namespace");
  if (type.is_namespaced && !ns.empty() && ns != target.ns) {
    return std::unexpected(
        bad_request("the namespace of the provided object does not match the namespace sent on the request"));
  }
  WriteTarget place = target;
  place.name = get_string(meta, "name");
  const std::string base = get_string(meta, "generateName");
  while (place.name.empty() && !base.empty()) {
    place.name = generate_name(base);
    if (staging.find(place.place()) != nullptr) place.name.clear();
  }
  if (!place.name.empty()) meta["name"] = place.name;
  DET_TRY(check_namespace(staging, target, place.name));
  if (type.is_namespaced) {
    meta["namespace"] = target.ns;
  } else {
    meta.erase("namespace");
  }
  for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion", "generation"}) {
    meta.erase(field);
  }
  meta["uid"] = uuid_v4();
  meta["creationTimestamp"] = format_rfc3339_seconds(staging.now());
  if (tracks_generation(type)) meta["generation"] = 1;
  complete(type, object);
  if (type.has_status && type.is_custom) object.erase("status");
  fill_defaults(type.schema, object);
  DET_TRY(check(place, object, nullptr));
  begin_status(type, object, staging.now());
  if (staging.find(place.place()) != nullptr) return std::unexpected(already_exists(type.subject(place.name)));
  return Written{staging.put(place.place(), std::move(object)), 201};
}

Outcome update(Staging& staging, const WriteTarget& target, json object, std::vector<std::string>& warnings) {
  const ObjectRef stored = staging.find(target.place());
  if (stored == nullptr) return std::unexpected(not_found(target.type->subject(target.name)));
  return change(staging, target, stored, std::move(object), warnings);
}

Outcome patch(Staging& staging, const WriteTarget& target, PatchKind kind, const json& patch,
              std::vector<std::string>& warnings) {
  const ObjectRef stored = staging.find(target.place());
  if (stored == nullptr) return std::unexpected(not_found(target.type->subject(target.name)));
  auto patched = apply_patch(kind, stored->value, patch, target.type->subject(target.name));
  DET_TRY(patched);
  return change(staging, target, stored, std::move(*patched), warnings);
}

Outcome bind(Staging& staging, const Place& place, const std::string& node) {
  const Subject subject{{}, "pods", "Pod", place.name};
  const ObjectRef stored = staging.find(place);
  if (stored == nullptr) return std::unexpected(not_found(subject));
  const std::string bound = get_string(get_object(stored->value, "spec"), "nodeName");
  if (!bound.empty()) {
    return std::unexpected(conflict(subject, "pod " + place.name + " is already assigned to node \"" + bound + "\""));
  }
  if (is_deleting(stored->value)) return std::unexpected(conflict(subject, "pod " + place.name + " is being deleted"));
  json pod = stored->value;
  pod["spec"]["nodeName"] = node;
  const json scheduled = {{"type", "PodScheduled"},
                          {"status", "True"},
                          {"lastProbeTime", nullptr},
                          {"lastTransitionTime", format_rfc3339_seconds(staging.now())}};
  json& conditions = pod["status"]["conditions"];
  if (!conditions.is_array()) conditions = json::array();
  const auto old =
      std::ranges::find_if(conditions, [](const json& c) { return get_string(c, "type") == "PodScheduled"; });
  if (old == conditions.end()) {
    conditions.push_back(scheduled);
  } else {
    *old = scheduled;
  }
  return Written{staging.put(place, std::move(pod)), 201};
}

}  // namespace det::local::kubeapi
