#include "operator/gang/pod_group_backend.h"

#include <array>

#include "base/json_get.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr const char* kNativeGroup = "scheduling.k8s.io";
constexpr const char* kCoschedulingGroup = "scheduling.x-k8s.io";
constexpr const char* kCoschedulingVersion = "v1alpha1";
constexpr const char* kCoschedulingLabel = "scheduling.x-k8s.io/pod-group";
constexpr const char* kOfOwner = "owner";
constexpr std::chrono::seconds kRetry{10};
constexpr std::chrono::seconds kBetweenLooks{30};
// Those that have a PodGroup of the form that is written here, newest first.
constexpr std::array<const char*, 3> kNativeVersions = {"v1beta1", "v1alpha3", "v1alpha2"};

k8s::ReflectorOptions watch_of(k8s::Resource resource, std::string ns, const std::string& managed_by) {
  k8s::ReflectorOptions options;
  options.resource = std::move(resource);
  options.ns = std::move(ns);
  options.label_selector = std::string(pods::kLabelManagedBy) + "=" + managed_by;
  return options;
}

k8s::Resource pod_groups(const GangChoice& choice) {
  const bool is_native = choice.kind == model::GangBackendKind::kNative;
  return {.group = is_native ? kNativeGroup : kCoschedulingGroup,
          .version = choice.version,
          .plural = "podgroups",
          .kind = "PodGroup"};
}

Task<Result<bool>> serves_pod_groups(k8s::Client& client, std::string group, std::string version) {
  auto answer = co_await client.get_raw("/apis/" + group + "/" + version);
  if (!answer && answer.error().code == ErrorCode::kNotFound) co_return false;
  DET_CO_TRY(answer);
  const json list = json::parse(*answer, nullptr, false);
  for (const json& resource : get_array(list, "resources")) {
    if (get_string(resource, "name") == "podgroups") co_return true;
  }
  co_return false;
}

Task<Result<std::string>> native_version(k8s::Client& client) {
  for (const char* version : kNativeVersions) {
    auto served = co_await serves_pod_groups(client, kNativeGroup, version);
    DET_CO_TRY(served);
    if (*served) co_return std::string(version);
  }
  co_return std::string();
}

Task<Result<std::string>> coscheduling_version(k8s::Client& client) {
  auto served = co_await serves_pod_groups(client, kCoschedulingGroup, kCoschedulingVersion);
  DET_CO_TRY(served);
  co_return *served ? std::string(kCoschedulingVersion) : std::string();
}

GangWait wait(std::string reason, std::string message) {
  json tree = {{"code", reason}, {"message", message}};
  return {.reason = std::move(reason), .message = std::move(message), .tree = std::move(tree), .retry_in = kRetry};
}

}  // namespace

Task<Result<GangChoice>> choose_gangs(k8s::Client& client, model::GangBackendKind wanted) {
  using Kind = model::GangBackendKind;
  GangChoice choice{.kind = wanted};
  if (wanted == Kind::kNative || wanted == Kind::kAuto) {
    auto version = co_await native_version(client);
    DET_CO_TRY(version);
    if (wanted == Kind::kNative || !version->empty()) co_return GangChoice{.kind = Kind::kNative, .version = *version};
  }
  if (wanted == Kind::kCoscheduling || wanted == Kind::kAuto) {
    auto version = co_await coscheduling_version(client);
    DET_CO_TRY(version);
    if (wanted == Kind::kCoscheduling || !version->empty()) {
      co_return GangChoice{.kind = Kind::kCoscheduling, .version = *version};
    }
  }
  if (wanted == Kind::kAuto) choice.kind = Kind::kOwn;
  co_return choice;
}

PodGroupBackend::PodGroupBackend(asio::any_io_executor executor, k8s::Client& client, Clock& clock, GangChoice choice,
                                 model::SchedulerConfig config, std::string ns, std::string managed_by,
                                 WakeOwner wake_owner)
    : client_(client),
      clock_(clock),
      choice_(std::move(choice)),
      config_(std::move(config)),
      managed_by_(std::move(managed_by)),
      resource_(pod_groups(choice_)),
      wake_owner_(std::move(wake_owner)),
      groups_(client, clock, std::move(executor), watch_of(resource_, std::move(ns), managed_by_), view_group),
      half_gangs_(client, clock) {
  groups_.add_index(kOfOwner, [](const Group& group) { return std::vector<std::string>{to_string(group.owner)}; });
  // A pod whose group is gone waits for ever, without a word from kube-scheduler: its trial looks again.
  groups_.add_handler([this](const k8s::ObjectKey&, const Group* before, const Group* now) {
    if (now == nullptr) wake_owner_(before->owner);
  });
}

std::string PodGroupBackend::name() const {
  return std::string(model::to_string(choice_.kind));
}

PodGroupBackend::Group PodGroupBackend::view_group(const json& object) {
  const json& meta = get_any(object, "metadata");
  return {.owner = workload_of(get_string(meta, "namespace"), get_any(meta, "labels")),
          .uid = get_string(meta, "uid"),
          .is_going = get_any(meta, "deletionTimestamp").is_string()};
}

json PodGroupBackend::group_object(const GangRequest& gang) const {
  json spec = is_native() ? json{{"schedulingPolicy", {{"gang", {{"minCount", gang.size}}}}}}
                          : json{{"minMember", gang.size}, {"scheduleTimeoutSeconds", config_.bind_timeout.count()}};
  return {{"apiVersion", resource_.api_version()},
          {"kind", resource_.kind},
          {"metadata",
           {{"name", gang.name},
            {"namespace", gang.owner.key.ns},
            {"labels", {{pods::kLabelManagedBy, managed_by_}, {label_of(gang.owner.kind), gang.owner.key.name}}},
            {"ownerReferences", json::array({{{"apiVersion", resource_of(gang.owner.kind).api_version()},
                                              {"kind", resource_of(gang.owner.kind).kind},
                                              {"name", gang.owner.key.name},
                                              {"uid", gang.owner_uid},
                                              {"controller", true}}})}}},
          {"spec", std::move(spec)}};
}

void PodGroupBackend::join(json& pod, const std::string& group) const {
  if (is_native()) {
    pod["spec"]["schedulingGroup"] = {{"podGroupName", group}};
    return;
  }
  pod["metadata"]["labels"][kCoschedulingLabel] = group;
  pod["spec"]["schedulerName"] = config_.coscheduler_name;
}

Task<Result<std::optional<GangWait>>> PodGroupBackend::create(GangRequest gang) {
  if (choice_.version.empty()) {
    co_return wait("PodGroupsUnavailable", "the cluster serves no " + resource_.group +
                                               " podgroups, which scheduler.type \"" + name() + "\" needs");
  }
  if (auto waits = half_gangs_.back_off_of(gang.owner)) co_return waits;
  auto group = co_await create_owned(client_, resource_, gang.owner.key.ns, group_object(gang));
  if (!group) co_return std::unexpected(with_context(std::move(group).error(), "create PodGroup " + gang.name));
  for (json& pod : gang.pods) {
    const std::string pod_name = get_string(get_any(pod, "metadata"), "name");
    join(pod, gang.name);
    auto created = co_await create_owned(client_, k8s::pods(), gang.owner.key.ns, std::move(pod));
    if (!created && created.error().code == ErrorCode::kPermissionDenied) {
      GangWait refused = wait("PodsForbidden", created.error().message);
      co_return co_await half_gangs_.forbidden(std::move(gang), std::move(refused));
    }
    if (!created) co_return std::unexpected(with_context(std::move(created).error(), "create pod " + pod_name));
    // With the feature gate off the API server drops the field without a word, and the pod would start alone.
    if (is_native() && !get_any(get_any(*created, "spec"), "schedulingGroup").is_object()) {
      GangWait off = wait("GangGateOff",
                          "the API server drops spec.schedulingGroup of pods: its feature gate GenericWorkload is off");
      co_return co_await half_gangs_.withdraw(std::move(gang), std::move(off));
    }
  }
  co_return std::nullopt;
}

Task<Status> PodGroupBackend::keep(GangRequest gang) {
  const k8s::ObjectKey key{.ns = gang.owner.key.ns, .name = gang.name};
  if (choice_.version.empty() || !groups_.synced() || groups_.find(key) != nullptr) co_return Status{};
  auto group = co_await create_owned(client_, resource_, gang.owner.key.ns, group_object(gang));
  if (!group) co_return std::unexpected(with_context(std::move(group).error(), "create PodGroup " + gang.name));
  log_.warn("a PodGroup that its pods wait for was missing; made again", {{"group", gang.name}});
  co_return Status{};
}

Task<Status> PodGroupBackend::release(WorkloadKey owner) {
  half_gangs_.forget(owner);
  std::vector<std::pair<k8s::ObjectKey, std::string>> groups;
  for (const auto& [key, group] : groups_.by_index(kOfOwner, to_string(owner))) {
    if (!group->is_going) groups.emplace_back(key, group->uid);
  }
  for (const auto& [key, uid] : groups) {
    k8s::DeleteOptions options;
    options.uid = uid;
    auto removed = co_await client_.remove(resource_, key, options);
    if (!removed) co_return std::unexpected(with_context(std::move(removed).error(), "delete PodGroup " + key.name));
  }
  co_return Status{};
}

void PodGroupBackend::back_off(const WorkloadKey&, const std::string&) {}

// Where there are none, an administrator may make their definition.
Task<void> PodGroupBackend::run() {
  if (!choice_.version.empty()) {
    co_await groups_.run();
    co_return;
  }
  while (!is_outdated_) {
    co_await clock_.sleep_for(kBetweenLooks);
    const auto now = co_await choose_gangs(client_, choice_.kind);
    is_outdated_ = now && !now->version.empty();
  }
}

}  // namespace det::op
