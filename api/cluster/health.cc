#include "api/cluster/routes.h"

namespace det::api::routes {

namespace {

// As it was last heard of: nobody who asks for it waits for a database that hangs.
bool reaches_database(const ApiServices& services) {
  return !services.has_database || services.has_database();
}

}  // namespace

// Alive: this process answers. A database that is away is no reason to restart it.
Task<Result<http::Response>> health(ApiServices& services, Call) {
  const bool has_database = !services.settings.cluster.cluster_id.empty() && reaches_database(services);
  co_return ok({{"status", "up"}, {"database", has_database ? "up" : "down"}});
}

// Ready: requests can be served. Before the cluster's id is known the database may still be without its tables, or its
// first users without their passwords. What does not work yet beside it is no reason to keep requests away: it is said.
// Nor is a database that is away later on: all replicas would leave the Service together, and who stands before it, an
// Ingress for one, would answer harnesses with a 503, on which they give up, where this holds their requests
// (api/harness_guard.h).
Task<Result<http::Response>> ready(ApiServices& services, Call) {
  if (services.settings.cluster.cluster_id.empty()) {
    co_return fail(ErrorCode::kUnavailable, "starting: the database is not prepared yet");
  }
  if (services.is_leaving && services.is_leaving()) {
    co_return fail(ErrorCode::kUnavailable, "stopping: requests are served for a few seconds more");
  }
  wire::Json answer = {{"status", "ready"}};
  const std::string missing = services.tasks_missing ? services.tasks_missing() : std::string();
  if (!missing.empty()) answer["details"]["tasks"] = missing;
  if (!reaches_database(services)) {
    answer["details"]["database"] = "It cannot be reached: requests wait for it, and most fail in the end";
  }
  co_return ok(answer);
}

}  // namespace det::api::routes
