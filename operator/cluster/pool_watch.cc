#include "operator/cluster/pool_watch.h"

#include <algorithm>
#include <chrono>

#include "base/json_get.h"
#include "base/race.h"
#include "model/expconf/config_warnings.h"
#include "operator/conditions.h"
#include "operator/status_writer.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kRetry{5};
constexpr std::chrono::minutes kRetryRefused{5};
constexpr std::chrono::hours kLong{1};

k8s::ReflectorOptions watch_of_pools() {
  k8s::ReflectorOptions options;
  options.resource = resource_pools();
  return options;
}

}  // namespace

k8s::Resource resource_pools() {
  return {.group = "det-operator.dev",
          .version = "v1alpha1",
          .plural = "resourcepools",
          .kind = "ResourcePool",
          .namespaced = false};
}

PoolView view_pool(const json& object) {
  const json& meta = get_any(object, "metadata");
  return {.generation = get_integer(meta, "generation"),
          .resource_version = get_string(meta, "resourceVersion"),
          .pool = model::read_resource_pool_object(object),
          .status = get_any(object, "status")};
}

json pool_status(const PoolView& view, WallTime now) {
  const bool is_good = view.pool.objection.empty();
  std::string usable = "experiments may name this pool";
  if (!view.pool.warnings.empty()) usable += "\n" + model::joined_warnings(view.pool.warnings, kMaxWarnings);
  const Condition accepted{.type = "Accepted",
                           .status = is_good ? Truth::kTrue : Truth::kFalse,
                           .reason = is_good ? "Valid" : "InvalidPool",
                           .message = is_good ? std::move(usable) : view.pool.objection};
  return {{"observedGeneration", view.generation},
          {"conditions", merge_conditions(get_any(view.status, "conditions"), {accepted}, view.generation, now)}};
}

PoolWatch::PoolWatch(asio::any_io_executor executor, k8s::Client& client, Clock& clock, OnChange on_change,
                     std::function<bool()> is_leading)
    : client_(client),
      clock_(clock),
      on_change_(std::move(on_change)),
      is_leading_(std::move(is_leading)),
      pools_(client, clock, executor, watch_of_pools(), view_pool),
      changed_(executor),
      known_signal_(executor) {
  pools_.add_handler([this](const k8s::ObjectKey& key, const PoolView* before, const PoolView* now) {
    if (before == nullptr || now == nullptr || before->generation != now->generation) {
      log_.info(now == nullptr ? "resource pool deleted" : "resource pool read", {{"pool", key.name}});
      publish();
    }
    changed_.notify_all();
  });
}

Task<void> PoolWatch::run() {
  co_await wait_readable();
  std::vector<Task<void>> parts;
  parts.push_back(pools_.run());
  parts.push_back(follow());
  parts.push_back(write_statuses());
  co_await all_of(std::move(parts));
}

Task<void> PoolWatch::wait_known() {
  while (!is_known_) co_await known_signal_.wait(known_signal_.version(), kLong);
}

Task<void> PoolWatch::wait_readable() {
  for (;;) {
    const auto listed = co_await client_.list(resource_pools(), {});
    if (listed) co_return;
    const ErrorCode code = listed.error().code;
    const bool is_refused = code == ErrorCode::kPermissionDenied || code == ErrorCode::kNotFound;
    if (is_refused && !is_known_) {
      log_.info("ResourcePool objects are not read; the pools are those of master.yaml",
                {{"error", listed.error().message}});
      is_known_ = true;
      known_signal_.notify_all();
    }
    co_await clock_.sleep_for(is_refused ? std::chrono::nanoseconds(kRetryRefused) : kRetry);
  }
}

Task<void> PoolWatch::follow() {
  while (!co_await pools_.wait_synced(std::chrono::seconds(60))) {
    log_.warn("the Kubernetes API has not delivered the resource pools yet");
  }
  publish();
  is_known_ = true;
  known_signal_.notify_all();
}

Task<void> PoolWatch::write_statuses() {
  for (;;) {
    const auto seen = changed_.version();
    bool has_failed = false;
    for (const k8s::ObjectKey& key : is_leading_() ? pools_.keys() : std::vector<k8s::ObjectKey>()) {
      const PoolView* found = pools_.find(key);
      if (found == nullptr) continue;
      const PoolView view = *found;
      json wanted = pool_status(view, clock_.wall_now());
      const auto written = co_await write_status(client_, resource_pools(), key, view.status, std::move(wanted));
      has_failed = has_failed || !written;
    }
    // Leadership may come without any pool changing.
    co_await wait_on_clock(changed_, seen, clock_,
                           has_failed || !is_leading_() ? kRetry : std::chrono::nanoseconds(kLong));
  }
}

void PoolWatch::publish() {
  std::map<std::string, model::ResourcePool> sorted;
  pools_.each([&](const k8s::ObjectKey& key, const PoolView& view) { sorted[key.name] = view.pool; });
  std::vector<model::ResourcePool> pools;
  for (auto& [name, pool] : sorted) pools.push_back(std::move(pool));
  on_change_(std::move(pools));
}

}  // namespace det::op
