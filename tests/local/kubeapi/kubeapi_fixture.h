#pragma once

// Tests of the embedded API over HTTP: what a client sees, byte for byte where it matters.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/curl_transport.h"
#include "tests/local/kubeapi/kubeapi_host.h"
#include "tests/support/run_task.h"

namespace det::local::test {

struct Answer {
  int status = 0;
  nlohmann::json body;
  HttpHeaders headers;

  [[nodiscard]] std::string message() const { return body.is_object() ? body.value("message", "") : ""; }
  [[nodiscard]] std::string header(std::string_view name) const;
};

class KubeApi : public testing::Test {
 protected:
  explicit KubeApi(EmbeddedApiOptions options = {}) : options_(std::move(options)) {}
  void SetUp() override { host.emplace(io, clock, options_); }

  // With the right token, unless `headers` say otherwise.
  Answer call(const std::string& method, const std::string& path, const nlohmann::json& body = nullptr,
              HttpHeaders headers = {});
  Answer get(const std::string& path) { return call("GET", path); }
  Answer create(const std::string& collection, const nlohmann::json& body) { return call("POST", collection, body); }
  Answer merge(const std::string& path, const nlohmann::json& patch) {
    return call("PATCH", path, patch, {{"Content-Type", "application/merge-patch+json"}});
  }
  // An object that must be accepted.
  nlohmann::json made(const std::string& collection, const nlohmann::json& body);
  // Lines of a watch until there are `count`, or it ends.
  std::vector<nlohmann::json> watch(const std::string& path, std::size_t count, const HttpHeaders& headers = {});
  // Whether it becomes so within half a minute.
  bool eventually(const std::function<bool()>& claim);
  bool is_gone(const std::string& path) {
    return eventually([&] { return get(path).status == 404; });
  }

  static nlohmann::json config_map(const std::string& name, const nlohmann::json& meta = nlohmann::json::object());
  static nlohmann::json pod(const std::string& name, const std::string& cpu = "1");
  static nlohmann::json node(const std::string& name, const std::string& cpu = "4");
  // "widgets.example.com", v1, with `schema` for its spec.
  static nlohmann::json definition(const nlohmann::json& spec_schema);

  static constexpr const char* kConfigMaps = "/api/v1/namespaces/default/configmaps";
  static constexpr const char* kPods = "/api/v1/namespaces/default/pods";
  static constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  static constexpr const char* kWidgets = "/apis/example.com/v1/namespaces/default/widgets";

  asio::io_context io;
  SystemClock clock;
  EmbeddedApiOptions options_;
  std::optional<KubeApiHost> host;
  CurlTransport transport{io.get_executor(), 16};
};

}  // namespace det::local::test
