#include "operator/cluster/database_guard.h"

#include <utility>

#include "base/json_get.h"
#include "operator/conditions.h"
#include "operator/status_writer.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kAway{2};
constexpr const char* kKey = "incarnation";

bool is_over(const json& status) {
  for (const json& condition : get_array(status, "conditions")) {
    const std::string type = get_string(condition, "type");
    if ((type == "Complete" || type == "Failed") && get_string(condition, "status") == "True") return true;
  }
  return false;
}

}  // namespace

DatabaseGuard::DatabaseGuard(k8s::Client& client, Clock& clock, store::ClusterStore& cluster,
                             DatabaseGuardOptions options)
    : client_(client), clock_(clock), cluster_(cluster), options_(std::move(options)) {}

Task<void> DatabaseGuard::admit() {
  for (;;) {
    auto row = co_await cluster_.load_or_create();
    if (!row) {
      log_.warn("the database is away; waiting to lead", {{"error", row.error().message}});
      co_await clock_.sleep_for(kAway);
      continue;
    }
    auto expected = co_await remembered(row->incarnation);
    if (!expected) {
      log_.warn("cannot tell whether the database is the right one; waiting to lead",
                {{"error", expected.error().message}});
      co_await clock_.sleep_for(kAway);
      continue;
    }
    if (*expected == row->incarnation) co_return;
    log_.error(
        "the database is not the one this cluster remembers; nothing is started",
        {{"database", row->incarnation}, {"remembered", *expected}, {"configmap", options_.ns + "/" + options_.name}});
    co_await tell_all("the database (" + row->incarnation + ") is not the one these objects live in (" + *expected +
                      "): restored or replaced. Connect the right one, or, to go on with this one, delete the "
                      "ConfigMap " +
                      options_.ns + "/" + options_.name);
    co_await clock_.sleep_for(options_.ask_again);
  }
}

Task<Result<std::string>> DatabaseGuard::remembered(std::string incarnation) {
  const k8s::ObjectKey key{.ns = options_.ns, .name = options_.name};
  auto found = co_await client_.get(k8s::config_maps(), key);
  if (found) co_return get_string(get_any(*found, "data"), kKey);
  if (found.error().code != ErrorCode::kNotFound) co_return std::unexpected(std::move(found).error());
  json object = {{"apiVersion", "v1"},
                 {"kind", "ConfigMap"},
                 {"metadata", {{"name", options_.name}, {"namespace", options_.ns}}},
                 {"data", {{kKey, incarnation}}}};
  auto created = co_await client_.create(k8s::config_maps(), options_.ns, std::move(object), {});
  DET_CO_TRY(created);
  co_return incarnation;
}

Task<void> DatabaseGuard::tell_all(std::string message) {
  co_await tell(k8s::experiments(), message);
  co_await tell(k8s::tasks(), std::move(message));
}

Task<void> DatabaseGuard::tell(k8s::Resource resource, std::string message) {
  k8s::ListOptions all;
  all.ns = options_.objects_ns;
  auto listed = co_await client_.list(resource, all);
  if (!listed) {
    log_.warn("objects cannot be told", {{"kind", resource.kind}, {"error", listed.error().message}});
    co_return;
  }
  const Condition stalled{
      .type = "Stalled", .status = Truth::kTrue, .reason = "DatabaseReplaced", .message = std::move(message)};
  for (const json& item : listed->items) {
    const json& meta = get_any(item, "metadata");
    const json& status = get_any(item, "status");
    if (!options_.is_ours(get_string(get_any(meta, "annotations"), pods::kAnnotationClass)) || is_over(status))
      continue;
    json wanted = status.is_object() ? status : json::object();
    wanted["conditions"] =
        put_condition(get_array(status, "conditions"), stalled, get_integer(meta, "generation"), clock_.wall_now());
    k8s::ObjectKey key{.ns = get_string(meta, "namespace"), .name = get_string(meta, "name")};
    const Status written = co_await write_status(client_, resource, key, status, std::move(wanted));
    if (written) continue;
    log_.warn("an object cannot be told", {{"object", to_string(key)}, {"error", written.error().message}});
  }
}

}  // namespace det::op
