#include "api/cluster/cluster_notice.h"
#include "api/cluster/routes.h"
#include "api/pages/routes.h"
#include "model/cluster/printable_config.h"
#include "wire/cluster.h"

namespace det::api::routes {

namespace {

constexpr const char* kFrontPage =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>det-operator</title></head><body>"
    "<h1>det-operator</h1>"
    "<p>This is the REST API of det-operator, which runs Determined experiments on Kubernetes.</p>"
    "<p>Point the command line here: <code>export DET_MASTER=&lt;this address&gt;</code>, then "
    "<code>det experiment create const.yaml .</code>; or apply an Experiment object with kubectl.</p>"
    "<p>The web page, where it is installed, is at <a href=\"ui/\">/ui/</a>. <a href=\"info\">/info</a> says which "
    "protocol this server speaks, "
    "<a href=\"docs\">/docs</a> every route of it.</p>"
    "</body></html>\n";

}  // namespace

Task<Result<http::Response>> front_page(ApiServices& services, Call call) {
  if (leads_to_page(services, call.request)) co_return to_page(call.request, {});
  http::Response response;
  response.headers.add("Vary", "Accept");
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  response.body = kFrontPage;
  co_return response;
}

Task<Result<http::Response>> info(ApiServices& services, Call) {
  co_return ok(wire::info(services.settings.cluster));
}

Task<Result<http::Response>> master(ApiServices& services, Call) {
  wire::Json json = wire::master(services.settings.cluster);
  if (const auto message = co_await services.cluster_notice.shown()) {
    json["clusterMessage"] = cluster_message_json(*message);
  }
  co_return ok(json);
}

// Nothing is told to anybody: Determined's pages ask before they load what would.
Task<Result<http::Response>> telemetry(ApiServices&, Call) {
  co_return ok({{"enabled", false}, {"segmentKey", ""}});
}

// There is one cluster, which has no name.
Task<Result<http::Response>> resource_managers(ApiServices&, Call) {
  co_return ok({{"resourceManagers", {""}}});
}

Task<Result<http::Response>> master_config(ApiServices& services, Call) {
  co_return ok({{"config", model::printable_config(services.settings.master)}});
}

// For clients before 0.20.
Task<Result<http::Response>> legacy_master_config(ApiServices& services, Call) {
  co_return ok(model::printable_config(services.settings.master));
}

}  // namespace det::api::routes
