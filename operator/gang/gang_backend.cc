#include "operator/gang/gang_backend.h"

#include "base/json_get.h"

namespace det::op {
namespace {

using nlohmann::json;

std::string controller_uid(const json& object) {
  for (const json& owner : get_array(get_any(object, "metadata"), "ownerReferences")) {
    if (get_bool(owner, "controller")) return get_string(owner, "uid");
  }
  return {};
}

}  // namespace

Task<Result<json>> create_owned(k8s::Client& client, k8s::Resource resource, std::string ns, json object) {
  const k8s::ObjectKey key{.ns = ns, .name = get_string(get_any(object, "metadata"), "name")};
  const std::string owner = controller_uid(object);
  const k8s::WriteOptions options;
  auto created = co_await client.create(resource, ns, std::move(object), options);
  if (created || created.error().code != ErrorCode::kAlreadyExists) co_return created;
  auto existing = co_await client.get(resource, key);
  if (!existing) co_return existing;
  const bool is_going = get_any(get_any(*existing, "metadata"), "deletionTimestamp").is_string();
  if (controller_uid(*existing) == owner && !is_going) co_return existing;
  co_return fail(ErrorCode::kAborted,
                 resource.kind + " " + to_string(key) + " belongs to something else; waiting for it to be deleted");
}

Task<Status> create_pods(k8s::Client& client, std::string ns, std::vector<json> pods) {
  for (json& pod : pods) {
    const std::string name = get_string(get_any(pod, "metadata"), "name");
    auto created = co_await create_owned(client, k8s::pods(), ns, std::move(pod));
    if (!created) co_return std::unexpected(with_context(std::move(created).error(), "create pod " + name));
  }
  co_return Status{};
}

MadePod made_pod(const json& object) {
  const json& metadata = get_any(object, "metadata");
  return {.name = get_string(metadata, "name"), .uid = get_string(metadata, "uid")};
}

Task<Status> remove_pods(k8s::Client& client, std::string ns, std::vector<MadePod> pods) {
  for (const MadePod& pod : pods) {
    k8s::DeleteOptions options;
    options.uid = pod.uid;
    options.grace_period_seconds = 0;
    const k8s::ObjectKey key{.ns = ns, .name = pod.name};
    auto removed = co_await client.remove(k8s::pods(), key, options);
    if (!removed) co_return std::unexpected(with_context(std::move(removed).error(), "delete pod " + pod.name));
  }
  co_return Status{};
}

Task<void> GangBackend::run() {
  co_return;
}

void GangBackend::set_places(store::JobPlaces) {}

std::optional<std::chrono::seconds> GangBackend::bind_timeout(int) const {
  return std::nullopt;
}

Task<Status> GangBackend::keep(GangRequest) {
  co_return Status{};
}

GangWait refused_wait(const std::string& words) {
  std::string message = "the Kubernetes API refuses what its pods need, and it is tried again: " + words;
  nlohmann::json tree = {{"code", kPodsNotCreated}, {"message", message}};
  return {.reason = kPodsNotCreated, .message = std::move(message), .tree = std::move(tree), .retry_in = {}};
}

}  // namespace det::op
