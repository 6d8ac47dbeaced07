#include "tests/support/api_under_test.h"

#include <cstdlib>
#include <utility>

#include "base/check.h"
#include "base/curl_transport.h"
#include "base/json_get.h"
#include "tests/support/fake_api_server.h"

namespace det::test {
namespace {

using nlohmann::json;

std::string kubeconfig() {
  const char* path = std::getenv("DET_TEST_KUBECONFIG");
  return path == nullptr ? std::string() : std::string(path);
}

std::unique_ptr<HttpTransport> connect(ApiKind kind, asio::io_context& io, Clock& clock) {
  if (kind == ApiKind::kFake) return std::make_unique<FakeApiServer>(io.get_executor(), clock);
  return std::make_unique<CurlTransport>(io.get_executor());
}

std::shared_ptr<k8s::Config> configure(ApiKind kind, ApiHost* host, Clock& clock) {
  if (host != nullptr) return host->config();
  if (kind == ApiKind::kFake) return k8s::Config::for_server("https://fake.invalid", "", nullptr, clock);
  auto config = k8s::Config::from_kubeconfig(kubeconfig(), "", clock);
  DET_CHECK(config.has_value(), "DET_TEST_KUBECONFIG names a kubeconfig that can be read");
  return *config;
}

}  // namespace

std::string to_string(ApiKind kind) {
  switch (kind) {
    case ApiKind::kFake:
      return "Fake";
    case ApiKind::kReal:
      return "Real";
    case ApiKind::kEmbedded:
      return "Embedded";
  }
  return "?";
}

bool ApiUnderTest::is_available(ApiKind kind) {
  return kind != ApiKind::kReal || !kubeconfig().empty();
}

ApiUnderTest::ApiUnderTest(ApiKind kind)
    : host_(kind == ApiKind::kEmbedded ? host_embedded_api(io, clock) : nullptr),
      call_server_(connect(kind, io, clock)),
      watch_server_(kind != ApiKind::kFake ? connect(kind, io, clock) : nullptr),
      calls(*call_server_, io.get_executor(), clock),
      watches(watch_server(), io.get_executor(), clock),
      config(configure(kind, host_.get(), clock)),
      client(calls, watches, config, clock, "det-conformance") {
  json object = {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"generateName", "det-conformance-"}}}};
  const auto created = run(client.create(k8s::namespaces(), "", std::move(object), {}));
  DET_CHECK(created.has_value(), "the API server under test answers and lets us make a namespace");
  ns = get_string(get_object(*created, "metadata"), "name");
}

ApiUnderTest::~ApiUnderTest() {
  const Status removed = run(client.remove(k8s::namespaces(), {.ns = {}, .name = ns}, {}));
  DET_CHECK(removed.has_value(), "the namespace of the test can be removed");
}

bool ApiUnderTest::eventually(const std::function<bool()>& claim) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!claim()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    io.restart();
    io.run_one_for(std::chrono::milliseconds(100));
  }
  return true;
}

}  // namespace det::test
