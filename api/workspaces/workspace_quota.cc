#include "api/workspaces/workspace_quota.h"

#include <algorithm>
#include <cmath>

#include "api/access_check.h"
#include "base/json_get.h"
#include "k8sclient/resource.h"
#include "pods/names.h"
#include "scheduler/read_objects.h"

namespace det::api {
namespace {

constexpr const char* kPairs = "clusterQuotaPairs";
constexpr const char* kGpus = "requests.nvidia.com/gpu";
constexpr std::int64_t kMost = 2'147'483'647;  // upstream's int32

std::string label_of(const Settings& settings) {
  return settings.controller_class.empty() ? std::string(pods::kDefaultControllerClass) : settings.controller_class;
}

std::string milli_text(double milli) {
  const auto whole = static_cast<std::int64_t>(std::llround(milli));
  return whole % 1000 == 0 ? std::to_string(whole / 1000) : std::to_string(whole) + "m";
}

// By the quota's words: so many slots of each kind that the pools have. A word for CPU makes a real API server refuse
// every pod that names none, so it is there in local mode only.
wire::Json words(const model::MasterConfig& master, std::int64_t slots) {
  const std::string amount = std::to_string(slots);
  wire::Json hard = {{kGpus, amount}};
  double cpus = 0;
  const auto add = [&](const model::SlotRule& rule) {
    if (rule.type == model::SlotType::kRocm) hard["requests.amd.com/gpu"] = amount;
    if (rule.type == model::SlotType::kCpu) cpus = std::max(cpus, rule.cpu_per_slot);
  };
  add(model::slot_rule({}, master));
  for (const auto& [name, pool] : master.pools) add(model::slot_rule(name, master));
  if (cpus > 0 && master.pods_run_here) {
    hard["requests.cpu"] = milli_text(static_cast<double>(slots) * cpus * 1000);
  }
  return hard;
}

// In whole GPUs. `object`: a ResourceQuota.
std::optional<double> gpus_of(const wire::Json& object) {
  const scheduler::Quota quota = scheduler::read_quota(object);
  const auto found = quota.hard.find(kGpus);
  if (found == quota.hard.end()) return std::nullopt;
  return static_cast<double>(found->second) / 1000;
}

Task<Result<std::vector<wire::Json>>> quotas_in(ApiServices& services, std::string ns) {
  auto listed = co_await services.kubernetes.list(k8s::resource_quotas(),
                                                  {.ns = ns, .label_selector = {}, .field_selector = {}, .limit = 500});
  if (!listed) co_return std::unexpected(with_context(std::move(listed).error(), "list quotas of namespace " + ns));
  co_return std::move(listed->items);
}

std::string name_of(const wire::Json& object) {
  return get_string(get_object(object, "metadata"), "name");
}

std::string word_for(double gpus) {
  return milli_text(gpus * 1000);
}

}  // namespace

std::string quota_name(const std::string& ns) {
  return ns + "-quota";
}

Result<std::int64_t> read_quota_number(const wire::Json& number, const std::string& path) {
  const auto refuse = [&] {
    return fail(ErrorCode::kInvalidArgument,
                path + ": expected a whole number, greater than or equal to 0 and at most " + std::to_string(kMost),
                path);
  };
  if (!number.is_number_integer()) return refuse();
  // What does not fit the signed type is more than the most, too.
  if (number.is_number_unsigned() && number.get<std::uint64_t>() > static_cast<std::uint64_t>(kMost)) return refuse();
  const auto read = number.get<std::int64_t>();
  if (read < 0) return refuse();
  return read;
}

Result<std::optional<std::int64_t>> read_quota(const wire::RequestFields& fields) {
  const wire::Json* pairs = fields.any(kPairs);
  if (pairs == nullptr || pairs->empty()) return std::nullopt;
  const auto refuse = [](const std::string& message) {
    return fail(ErrorCode::kInvalidArgument, std::string(kPairs) + ": " + message, kPairs);
  };
  if (!pairs->is_object()) return refuse("expected a map of clusters");
  std::optional<std::int64_t> wanted;
  for (const auto& [cluster, quota] : pairs->items()) {
    if (!cluster.empty()) {
      return refuse("cluster '" + cluster + "' does not exist: there is one cluster, without a name");
    }
    const auto read = read_quota_number(quota, kPairs);
    DET_TRY(read);
    wanted = *read;
  }
  return wanted;
}

Status check_may_set_quota(const Identity& caller) {
  if (has_roles(caller) && caller.kind == TokenKind::kLogin)
    return require(caller, model::Permission::kSetResourceQuotas);
  if (caller.user.admin && caller.kind == TokenKind::kLogin) return {};
  return fail(ErrorCode::kPermissionDenied, "only admins may set resource quotas");
}

Task<Status> check_quota_is_its_own(ApiServices& services, std::string ns,
                                    std::optional<model::WorkspaceId> workspace) {
  // Upstream's sentence, which clients look for; what it means here follows.
  const std::string refusal = "cannot set quota on a workspace that is not bound to an auto-created namespace";
  if (ns.empty()) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   refusal + " or to another that is its alone: it is bound to none (det workspace bindings set)");
  }
  if (ns == services.settings.ns) {
    co_return fail(ErrorCode::kFailedPrecondition,
                   refusal + " or to another that is its alone: all that have no binding use namespace " + ns);
  }
  // All of them: there are few, and this is rare.
  const auto others = co_await services.stores.workspaces.list({.with_counts = false});
  DET_CO_TRY(others);
  for (const store::WorkspaceRow& other : others->items) {
    if (other.defaults.ns != ns || (workspace && other.id == *workspace)) continue;
    co_return fail(ErrorCode::kFailedPrecondition, refusal + " or to another that is its alone: workspace '" +
                                                       other.name + "' is bound to namespace " + ns + ", too");
  }
  co_return Status();
}

Task<Status> set_quota(ApiServices& services, std::string ns, std::int64_t gpus, bool is_trial) {
  const auto quotas = co_await quotas_in(services, ns);
  DET_CO_TRY(quotas);
  const std::string name = quota_name(ns);
  const std::string owner = label_of(services.settings);
  const wire::Json* own = nullptr;
  for (const wire::Json& each : *quotas) {
    if (name_of(each) == name) {
      own = &each;
      continue;
    }
    const auto other = gpus_of(each);
    if (!other || *other >= static_cast<double>(gpus)) continue;
    co_return fail(ErrorCode::kFailedPrecondition, "cannot set quota " + std::to_string(gpus) + " on namespace " + ns +
                                                       " because this namespace contains resource quota " +
                                                       name_of(each) + " with GPU request limit " + word_for(*other) +
                                                       ", which is lower: remove it in Kubernetes first");
  }
  const wire::Json hard = words(services.settings.master, gpus);
  const k8s::WriteOptions write{.dry_run = is_trial, .field_manager = {}, .strict_fields = false};
  const std::string what = "set quota of namespace " + ns;
  if (own == nullptr) {
    const wire::Json object = {
        {"apiVersion", "v1"},
        {"kind", "ResourceQuota"},
        {"metadata", {{"name", name}, {"labels", {{std::string(pods::kLabelManagedBy), owner}}}}},
        {"spec", {{"hard", hard}}}};
    const auto made = co_await services.kubernetes.create(k8s::resource_quotas(), ns, object, write);
    if (!made) co_return std::unexpected(with_context(made.error(), what));
    co_return Status();
  }
  const wire::Json& meta = get_object(*own, "metadata");
  if (get_string(get_object(meta, "labels"), pods::kLabelManagedBy) != owner) {
    co_return fail(ErrorCode::kFailedPrecondition, "resource quota " + name + " of namespace " + ns +
                                                       " was not made by this operator: change it in Kubernetes");
  }
  // Words of pools that are gone go, too; the version says that nobody has changed it meanwhile.
  wire::Json patch_hard = hard;
  for (const auto& [word, amount] : get_object(get_object(*own, "spec"), "hard").items()) {
    if (!hard.contains(word)) patch_hard[word] = nullptr;
  }
  const wire::Json patch = {{"metadata", {{"resourceVersion", get_string(meta, "resourceVersion")}}},
                            {"spec", {{"hard", std::move(patch_hard)}}}};
  const auto changed =
      co_await services.kubernetes.patch(k8s::resource_quotas(), {.ns = ns, .name = name}, patch,
                                         {.type = k8s::PatchType::kMerge, .subresource = {}, .write = write});
  if (!changed) co_return std::unexpected(with_context(changed.error(), what));
  co_return Status();
}

Task<Result<std::optional<double>>> find_quota(ApiServices& services, std::string ns) {
  const auto quotas = co_await quotas_in(services, std::move(ns));
  DET_CO_TRY(quotas);
  std::optional<double> smallest;
  for (const wire::Json& each : *quotas) {
    const auto gpus = gpus_of(each);
    if (gpus) smallest = std::min(smallest.value_or(*gpus), *gpus);
  }
  co_return smallest;
}

}  // namespace det::api
