#include "tests/local/kubeapi/kubeapi_host.h"

#include <utility>

#include "base/check.h"
#include "base/log.h"
#include "tests/support/postgres.h"
#include "tests/support/run_task.h"

namespace det::local::test {
namespace {

constexpr const char* kToken = "token-of-the-test";

}  // namespace

KubeApiHost::KubeApiHost(asio::io_context& io, Clock& clock, EmbeddedApiOptions options) : io_(io), clock_(clock) {
  if (options.database_url.empty()) options.database_url = det::test::shared_postgres().create_database();
  database_url_ = options.database_url;
  options.token = kToken;
  api_ = std::make_unique<EmbeddedApi>(io.get_executor(), clock, std::move(options));
  const Status started = det::test::run_task(io, api_->start());
  if (!started) log_fatal("the embedded API did not start", {{"error", started.error().message}});
}

KubeApiHost::~KubeApiHost() {
  stop();
}

void KubeApiHost::stop() {
  if (api_ == nullptr) return;
  auto stopping = [this]() -> Task<bool> {
    co_await api_->stop();
    co_return true;
  };
  det::test::run_task(io_, stopping());
  api_.reset();
}

std::shared_ptr<k8s::Config> KubeApiHost::config() {
  return k8s::Config::for_server(api_->url(), kToken, nullptr, clock_);
}

}  // namespace det::local::test

namespace det::test {

std::vector<ApiKind> conformance_kinds() {
  return {ApiKind::kEmbedded};
}

std::unique_ptr<ApiHost> host_embedded_api(asio::io_context& io, Clock& clock) {
  return std::make_unique<local::test::KubeApiHost>(io, clock);
}

}  // namespace det::test
