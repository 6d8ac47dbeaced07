#include "local/agent/pod_api.h"

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"

namespace det::local {
namespace {

using nlohmann::json;

Status add_members(const json& object, const char* key, bool base64, KeyValues& out) {
  const auto member = object.find(key);
  if (member == object.end() || !member->is_object()) return {};
  for (const auto& [name, value] : member->items()) {
    if (!value.is_string()) continue;
    if (!base64) {
      out[name] = value.get<std::string>();
      continue;
    }
    auto bytes = base64_decode(value.get<std::string>());
    if (!bytes) return std::unexpected(with_context(bytes.error(), "key " + name));
    out[name] = std::move(*bytes);
  }
  return {};
}

Result<ClaimedFolder> folder_of(const json& volume) {
  const json& spec = get_object(volume, "spec");
  const json& host = get_object(spec, "hostPath");
  if (!host.empty()) return ClaimedFolder{.path = get_string(host, "path"), .type = get_string(host, "type")};
  const json& local = get_object(spec, "local");
  if (!local.empty()) return ClaimedFolder{.path = get_string(local, "path"), .type = "Directory"};
  return fail(ErrorCode::kFailedPrecondition,
              "persistentvolume \"" + get_string(get_object(volume, "metadata"), "name") +
                  "\" is not supported by this node agent: use one with hostPath or local");
}

}  // namespace

Task<Result<KeyValues>> KubernetesPodApi::config_map(std::string ns, std::string name) {
  const auto object = co_await client_.get(k8s::config_maps(), {ns, name});
  DET_CO_TRY(object);
  KeyValues out;
  Status read = add_members(*object, "data", false, out);
  if (read) read = add_members(*object, "binaryData", true, out);
  if (!read) co_return std::unexpected(with_context(read.error(), "configmap " + name));
  co_return out;
}

Task<Result<KeyValues>> KubernetesPodApi::secret(std::string ns, std::string name) {
  const auto object = co_await client_.get(k8s::secrets(), {ns, name});
  DET_CO_TRY(object);
  KeyValues out;
  const Status read = add_members(*object, "data", true, out);
  if (!read) co_return std::unexpected(with_context(read.error(), "secret " + name));
  co_return out;
}

Task<Result<ClaimedFolder>> KubernetesPodApi::claimed_folder(std::string ns, std::string claim) {
  const auto found = co_await client_.get(k8s::persistent_volume_claims(), {ns, claim});
  // An API without that kind answers 404, too, and names no object.
  if (!found && found.error().code == ErrorCode::kNotFound && !found.error().message.contains('"' + claim + '"')) {
    co_return fail(ErrorCode::kNotFound, "persistentvolumeclaim \"" + claim +
                                             "\": this Kubernetes API has no claims (local mode keeps none); use "
                                             "hostPath volumes or bind_mounts");
  }
  DET_CO_TRY(found);
  const std::string name = get_string(get_object(*found, "spec"), "volumeName");
  if (name.empty() || get_string(get_object(*found, "status"), "phase") != "Bound") {
    co_return fail(ErrorCode::kFailedPrecondition, "persistentvolumeclaim \"" + claim + "\" is not bound to a volume");
  }
  const auto volume = co_await client_.get(k8s::persistent_volumes(), {.ns = "", .name = name});
  DET_CO_TRY(volume);
  co_return folder_of(*volume);
}

Task<Result<std::string>> KubernetesPodApi::account_token(PodId pod, std::string account, std::string audience,
                                                          std::int64_t seconds) {
  json spec{{"expirationSeconds", seconds},
            {"boundObjectRef", {{"apiVersion", "v1"}, {"kind", "Pod"}, {"name", pod.name}, {"uid", pod.uid}}}};
  if (!audience.empty()) spec["audiences"] = json::array({audience});
  json request{{"apiVersion", "authentication.k8s.io/v1"}, {"kind", "TokenRequest"}, {"spec", std::move(spec)}};
  const k8s::Resource tokens{"", "v1", "serviceaccounts/" + account + "/token", "TokenRequest", true};
  const k8s::WriteOptions options;
  const auto answer = co_await client_.create(tokens, pod.ns, std::move(request), options);
  if (!answer) co_return std::unexpected(with_context(answer.error(), "token of service account " + account));
  const json::json_pointer place("/status/token");
  if (!answer->contains(place) || !answer->at(place).is_string()) {
    co_return fail(ErrorCode::kInternal, "token of service account " + account + ": the answer holds none");
  }
  co_return answer->at(place).get<std::string>();
}

Task<Status> KubernetesPodApi::patch_status(PodId pod, json status) {
  json patch{{"metadata", {{"uid", pod.uid}}}, {"status", std::move(status)}};
  const k8s::PatchOptions options{k8s::PatchType::kStrategicMerge, "status", {}};
  const auto answer = co_await client_.patch(k8s::pods(), {pod.ns, pod.name}, std::move(patch), options);
  DET_CO_TRY(answer);
  co_return Status();
}

Task<Status> KubernetesPodApi::remove(PodId pod) {
  k8s::DeleteOptions options;
  options.uid = pod.uid;
  options.grace_period_seconds = 0;
  co_return co_await client_.remove(k8s::pods(), {pod.ns, pod.name}, options);
}

void KubernetesPodApi::publish_event(PodId pod, bool is_warning, std::string reason, std::string message) {
  events_.publish({k8s::pods(), {pod.ns, pod.name}, pod.uid},
                  is_warning ? k8s::EventType::kWarning : k8s::EventType::kNormal, std::move(reason),
                  std::move(message));
}

}  // namespace det::local
