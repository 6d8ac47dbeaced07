#include "local/agent/pod_spec_view.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "local/agent/gpus.h"
#include "local/names.h"

namespace det::local {
namespace {

std::map<std::string, std::string> string_map(JsonReader& reader, std::string_view key) {
  std::map<std::string, std::string> out;
  const nlohmann::json* map = reader.any(key);
  if (map == nullptr || !map->is_object()) return out;
  for (const auto& [name, value] : map->items()) {
    if (value.is_string()) out.emplace(name, value.get<std::string>());
  }
  return out;
}

void refuse(JsonReader& reader, std::string_view key, std::string_view hint) {
  if (reader.any(key) != nullptr) reader.report(key, "is not supported by this node agent: " + std::string(hint));
}

void refuse_true(JsonReader& reader, std::string_view key, std::string_view hint) {
  if (reader.boolean(key).value_or(false)) {
    reader.report(key, "is not supported by this node agent: " + std::string(hint));
  }
}

// The API server in front should have refused these. It may be an old one, or hold an old object, and here names become
// files and addresses.
std::string checked(JsonReader& reader, std::string_view key, Faults (*rule)(std::string_view)) {
  const std::string text = reader.string(key).value_or("");
  if (text.empty()) return text;
  for (const std::string& fault : rule(text)) reader.report(key, "\"" + text + "\": " + fault);
  return text;
}

std::string needed(JsonReader& reader, std::string_view key, Faults (*rule)(std::string_view)) {
  std::string text = checked(reader, key, rule);
  if (text.empty()) reader.report(key, "is needed");
  return text;
}

std::optional<KeyRef> key_ref(JsonReader& from, std::string_view key) {
  JsonReader ref = from.object(key);
  if (!ref.is_present()) return std::nullopt;
  return KeyRef{checked(ref, "name", dns_subdomain_faults), checked(ref, "key", data_key_faults),
                ref.boolean("optional").value_or(false)};
}

EnvVar decode_env(JsonReader& reader) {
  EnvVar env;
  env.name = checked(reader, "name", env_name_faults);
  env.value = reader.string("value").value_or("");
  JsonReader from = reader.object("valueFrom");
  if (!from.is_present()) return env;
  env.config_map_key = key_ref(from, "configMapKeyRef");
  env.secret_key = key_ref(from, "secretKeyRef");
  env.field_path = from.object("fieldRef").string("fieldPath");
  JsonReader resource = from.object("resourceFieldRef");
  env.resource = resource.string("resource");
  // The API server writes "0" where the user gave no divisor.
  if (const auto divisor = resource.string("divisor"); divisor && *divisor != "0") env.divisor = *divisor;
  refuse(from, "fileKeyRef", "use a configMap or secret key");
  return env;
}

EnvFrom decode_env_from(JsonReader& reader) {
  EnvFrom from;
  from.prefix = checked(reader, "prefix", env_name_faults);
  JsonReader secret = reader.object("secretRef");
  from.is_secret = secret.is_present();
  JsonReader map = reader.object("configMapRef");
  JsonReader& ref = from.is_secret ? secret : map;
  from.name = checked(ref, "name", dns_subdomain_faults);
  from.optional = ref.boolean("optional").value_or(false);
  return from;
}

VolumeMount decode_mount(JsonReader& reader) {
  VolumeMount mount{.volume = reader.string("name").value_or(""),
                    .mount_path = reader.string("mountPath").value_or(""),
                    .sub_path = checked(reader, "subPath", inner_path_faults),
                    .read_only = reader.boolean("readOnly").value_or(false)};
  if (std::string expr = checked(reader, "subPathExpr", inner_path_faults); !expr.empty()) {
    mount.sub_path = std::move(expr);
    mount.expand_sub_path = true;
  }
  return mount;
}

Quantities decode_quantities(JsonReader resources, std::string_view which) {
  Quantities out;
  JsonReader reader = resources.object(which);
  if (const auto cpu = reader.string("cpu")) out.milli_cpu = parse_milli(*cpu);
  if (const auto memory = reader.string("memory")) out.memory = parse_whole(*memory);
  if (const auto gpus = reader.string(kGpuResource)) out.gpus = parse_whole(*gpus).value_or(0);
  return out;
}

void decode_security(JsonReader pod, JsonReader own, ContainerView& container) {
  refuse_true(own, "privileged", "sandboxes hold no capability");
  container.run_as_user = own.integer("runAsUser").value_or(pod.integer("runAsUser").value_or(0));
  container.run_as_group = own.integer("runAsGroup").value_or(pod.integer("runAsGroup").value_or(0));
}

ContainerView decode_container(JsonReader& reader, const JsonReader& pod_security) {
  ContainerView out;
  out.name = needed(reader, "name", dns_label_faults);
  out.image = reader.string("image").value_or("");
  out.command = reader.strings("command").value_or(std::vector<std::string>());
  out.args = reader.strings("args").value_or(std::vector<std::string>());
  out.working_dir = reader.string("workingDir").value_or("");
  for (JsonReader& env : reader.objects("env")) out.env.push_back(decode_env(env));
  for (JsonReader& from : reader.objects("envFrom")) out.env_from.push_back(decode_env_from(from));
  for (JsonReader& mount : reader.objects("volumeMounts")) out.mounts.push_back(decode_mount(mount));
  const JsonReader resources = reader.object("resources");
  out.limits = decode_quantities(resources, "limits");
  out.requests = decode_quantities(resources, "requests");
  if (const auto path = reader.string("terminationMessagePath")) out.termination_message_path = *path;
  decode_security(pod_security, reader.object("securityContext"), out);
  constexpr std::string_view kNoProbes = "containers are Ready while they run";
  for (const auto* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) refuse(reader, probe, kNoProbes);
  refuse(reader, "lifecycle", "handle SIGTERM in the program instead");
  refuse(reader, "volumeDevices", "mount a file system");
  if (out.command.empty() && out.args.empty()) {
    reader.report("command", "is needed: images are folders here and have no entrypoint of their own");
  }
  return out;
}

std::vector<KeyToPath> decode_items(JsonReader& reader) {
  std::vector<KeyToPath> items;
  for (JsonReader& item : reader.objects("items")) {
    KeyToPath entry{
        .key = checked(item, "key", data_key_faults), .path = checked(item, "path", item_path_faults), .mode = {}};
    if (const auto mode = item.integer("mode")) entry.mode = static_cast<int>(*mode);
    items.push_back(std::move(entry));
  }
  return items;
}

std::vector<DownwardItem> decode_downward(JsonReader& reader) {
  std::vector<DownwardItem> fields;
  for (JsonReader& item : reader.objects("items")) {
    DownwardItem entry{.path = checked(item, "path", item_path_faults), .field_path = {}, .mode = {}};
    entry.field_path = item.object("fieldRef").string("fieldPath").value_or("");
    refuse(item, "resourceFieldRef", "use fieldRef, or resourceFieldRef in env");
    if (const auto mode = item.integer("mode")) entry.mode = static_cast<int>(*mode);
    fields.push_back(std::move(entry));
  }
  return fields;
}

// The source under whichever of the known keys `reader` has. `name_key` differs between secret volumes and projections.
std::optional<VolumeSource> decode_source(JsonReader& reader, std::string_view secret_name_key) {
  VolumeSource source;
  if (JsonReader map = reader.object("configMap"); map.is_present()) {
    source.name = checked(map, "name", dns_subdomain_faults);
    source.items = decode_items(map);
    source.optional = map.boolean("optional").value_or(false);
    return source;
  }
  if (JsonReader secret = reader.object("secret"); secret.is_present()) {
    source.kind = VolumeSource::Kind::kSecret;
    source.name = checked(secret, secret_name_key, dns_subdomain_faults);
    source.items = decode_items(secret);
    source.optional = secret.boolean("optional").value_or(false);
    return source;
  }
  if (JsonReader downward = reader.object("downwardAPI"); downward.is_present()) {
    source.kind = VolumeSource::Kind::kDownwardApi;
    source.fields = decode_downward(downward);
    return source;
  }
  if (JsonReader token = reader.object("serviceAccountToken"); token.is_present()) {
    source.kind = VolumeSource::Kind::kServiceAccountToken;
    source.token_path = checked(token, "path", item_path_faults);
    if (source.token_path.empty()) source.token_path = "token";
    source.token_audience = token.string("audience").value_or("");
    source.token_seconds = token.integer("expirationSeconds").value_or(3600);
    return source;
  }
  return std::nullopt;
}

VolumeView decode_volume(JsonReader& reader) {
  VolumeView out;
  out.name = needed(reader, "name", dns_label_faults);
  if (JsonReader empty = reader.object("emptyDir"); empty.is_present()) {
    const bool is_memory = empty.string("medium").value_or("") == "Memory";
    out.kind = is_memory ? VolumeView::Kind::kMemoryDir : VolumeView::Kind::kEmptyDir;
    if (const nlohmann::json* limit = empty.any("sizeLimit"); limit != nullptr && is_memory) {
      const std::string text = limit->is_string() ? limit->get<std::string>() : limit->dump();
      const auto bytes = parse_whole(text);
      if (!bytes || *bytes < 0) empty.report("sizeLimit", "\"" + text + "\" is no quantity such as \"64Mi\"");
      out.size_limit = bytes.value_or(0);
    }
    return out;
  }
  if (JsonReader host = reader.object("hostPath"); host.is_present()) {
    out.kind = VolumeView::Kind::kHostPath;
    out.host_path = needed(host, "path", backstep_faults);
    out.host_path_type = host.string("type").value_or("");
    return out;
  }
  if (JsonReader claim = reader.object("persistentVolumeClaim"); claim.is_present()) {
    out.kind = VolumeView::Kind::kClaim;
    out.claim = needed(claim, "claimName", dns_subdomain_faults);
    out.read_only = claim.boolean("readOnly").value_or(false);
    return out;
  }
  out.kind = VolumeView::Kind::kFiles;
  JsonReader projected = reader.object("projected");
  for (JsonReader& entry : projected.objects("sources")) {
    if (auto source = decode_source(entry, "name")) {
      out.sources.push_back(std::move(*source));
    } else {
      entry.report("is not supported by this node agent: use configMap, secret, downwardAPI or serviceAccountToken");
    }
  }
  std::optional<std::int64_t> mode = projected.integer("defaultMode");
  if (!projected.is_present()) {
    if (auto source = decode_source(reader, "secretName")) {
      out.sources.push_back(std::move(*source));
      for (const auto* key : {"configMap", "secret", "downwardAPI"}) {
        if (const auto own = reader.object(key).integer("defaultMode")) mode = own;
      }
    } else {
      reader.report(
          "is not supported by this node agent: use emptyDir, hostPath, persistentVolumeClaim, configMap, secret, "
          "downwardAPI or projected");
    }
  }
  out.default_mode = static_cast<int>(mode.value_or(0644));
  return out;
}

void decode_identity(JsonReader& pod, PodView& out) {
  JsonReader meta = pod.object("metadata");
  out.ns = checked(meta, "namespace", dns_label_faults);
  out.name = checked(meta, "name", dns_subdomain_faults);
  out.uid = meta.string("uid").value_or("");
  if (!is_plain_uid(out.uid)) meta.report("uid", "\"" + out.uid + "\" is not a uid as API servers make them");
  out.labels = string_map(meta, "labels");
  out.annotations = string_map(meta, "annotations");
  out.is_deleting = meta.any("deletionTimestamp") != nullptr;
  JsonReader status = pod.object("status");
  out.phase = status.string("phase").value_or("Pending");
  out.start_time = status.string("startTime").value_or("");
  JsonReader spec = pod.object("spec");
  out.node_name = spec.string("nodeName").value_or("");
  out.host_name = checked(spec, "hostname", dns_label_faults);
  if (out.host_name.empty()) out.host_name = out.name.substr(0, 63);
  out.service_account = checked(spec, "serviceAccountName", dns_subdomain_faults);
  if (out.service_account.empty()) out.service_account = "default";
  out.grace_seconds =
      std::clamp<std::int64_t>(spec.integer("terminationGracePeriodSeconds").value_or(30), 0, kLongestSeconds);
  out.deadline_seconds = spec.integer("activeDeadlineSeconds");
  out.deletion_grace_seconds = std::clamp<std::int64_t>(
      meta.integer("deletionGracePeriodSeconds").value_or(out.grace_seconds), 0, kLongestSeconds);
  using Word = std::pair<std::string_view, RestartPolicy>;
  constexpr std::array<Word, 3> kPolicies{Word{"Always", RestartPolicy::kAlways},
                                          Word{"OnFailure", RestartPolicy::kOnFailure},
                                          Word{"Never", RestartPolicy::kNever}};
  out.restart_policy = spec.choice<RestartPolicy>("restartPolicy", kPolicies).value_or(RestartPolicy::kAlways);
}

// Two of a name would share their files.
template <typename Views>
void check_unique(JsonReader& spec, std::string_view key, const Views& views, std::vector<std::string>& seen) {
  for (const auto& view : views) {
    if (std::ranges::find(seen, view.name) != seen.end()) {
      spec.report(key, "has \"" + view.name + "\" twice");
    }
    seen.push_back(view.name);
  }
}

void check_references(JsonReader& spec, const PodView& pod) {
  std::vector<std::string> volumes;
  std::vector<std::string> containers;
  check_unique(spec, "volumes", pod.volumes, volumes);
  check_unique(spec, "initContainers", pod.init_containers, containers);
  check_unique(spec, "containers", pod.containers, containers);
  for (const auto* list : {&pod.init_containers, &pod.containers}) {
    for (const ContainerView& container : *list) {
      for (const VolumeMount& mount : container.mounts) {
        const bool known = std::ranges::any_of(pod.volumes, [&](const auto& v) { return v.name == mount.volume; });
        if (!known) spec.report("volumes", "has no volume \"" + mount.volume + "\" that " + container.name + " mounts");
      }
    }
  }
}

}  // namespace

PodView decode_pod_identity(const nlohmann::json& pod) {
  FieldErrors ignored;
  JsonReader reader(pod, ignored);
  PodView out;
  decode_identity(reader, out);
  return out;
}

Result<PodView> decode_pod(const nlohmann::json& pod) {
  FieldErrors errors;
  JsonReader reader(pod, errors);
  PodView out;
  decode_identity(reader, out);
  JsonReader spec = reader.object("spec");
  refuse_true(spec, "hostPID", "each container has its own process space");
  refuse_true(spec, "hostIPC", "each container has its own IPC space");
  const JsonReader security = spec.object("securityContext");
  for (JsonReader& volume : spec.objects("volumes")) out.volumes.push_back(decode_volume(volume));
  for (JsonReader& init : spec.objects("initContainers")) {
    refuse(init, "restartPolicy", "list a sidecar among the containers");
    out.init_containers.push_back(decode_container(init, security));
  }
  for (JsonReader& container : spec.objects("containers")) {
    out.containers.push_back(decode_container(container, security));
  }
  check_references(spec, out);
  if (errors.empty()) return out;
  Error error = joined_error(errors, "pod");
  error.code = ErrorCode::kUnimplemented;
  return std::unexpected(std::move(error));
}

}  // namespace det::local
