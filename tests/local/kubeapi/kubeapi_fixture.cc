#include "tests/local/kubeapi/kubeapi_fixture.h"

#include <algorithm>
#include <utility>

#include "k8sclient/config.h"

namespace det::local::test {

using nlohmann::json;

std::string Answer::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

Answer KubeApi::call(const std::string& method, const std::string& path, const json& body, HttpHeaders headers) {
  HttpRequest request;
  request.method = method;
  request.url = host->config()->server() + path;
  const auto has = [&headers](std::string_view name) {
    return std::ranges::any_of(headers, [name](const auto& header) { return header.first == name; });
  };
  if (!has("Authorization")) headers.emplace_back("Authorization", "Bearer " + host->config()->bearer_token());
  if (!has("Content-Type") && !body.is_null()) headers.emplace_back("Content-Type", "application/json");
  request.headers = std::move(headers);
  if (!body.is_null()) request.body = body.is_string() ? body.get<std::string>() : body.dump();
  const auto response = det::test::run_task(io, transport.send(std::move(request)));
  EXPECT_TRUE(response) << response.error().message;
  if (!response) return {};
  return {
      .status = response->status, .body = json::parse(response->body, nullptr, false), .headers = response->headers};
}

json KubeApi::made(const std::string& collection, const json& body) {
  const Answer answer = create(collection, body);
  EXPECT_EQ(answer.status, 201) << answer.message();
  return answer.body;
}

std::vector<json> KubeApi::watch(const std::string& path, std::size_t count, const HttpHeaders& headers) {
  HttpRequest request;
  request.url = host->config()->server() + path;
  request.headers = headers;
  request.headers.emplace_back("Authorization", "Bearer " + host->config()->bearer_token());
  request.timeout = std::chrono::seconds(30);
  std::string text;
  std::vector<json> lines;
  BodySink sink = [&](std::string_view bytes) {
    text += bytes;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      lines.push_back(json::parse(text.substr(0, end)));
      text.erase(0, end + 1);
    }
    return lines.size() < count;
  };
  (void)det::test::run_task(io, transport.stream(std::move(request), std::move(sink)));
  return lines;
}

bool KubeApi::eventually(const std::function<bool()>& claim) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!claim()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    io.restart();
    io.run_one_for(std::chrono::milliseconds(20));
  }
  return true;
}

json KubeApi::config_map(const std::string& name, const json& meta) {
  json object = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", meta}, {"data", {{"k", "v"}}}};
  object["metadata"]["name"] = name;
  return object;
}

json KubeApi::pod(const std::string& name, const std::string& cpu) {
  const json container = {{"name", "c"}, {"image", "i"}, {"resources", {{"requests", {{"cpu", cpu}}}}}};
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", name}}},
          {"spec", {{"containers", json::array({container})}}}};
}

json KubeApi::node(const std::string& name, const std::string& cpu) {
  const json ready = {{"type", "Ready"}, {"status", "True"}};
  return {
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", {{"name", name}}},
      {"status",
       {{"allocatable", {{"cpu", cpu}, {"memory", "8Gi"}, {"pods", "110"}}}, {"conditions", json::array({ready})}}}};
}

json KubeApi::definition(const json& spec_schema) {
  const json open = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  const json schema = {{"type", "object"}, {"properties", {{"spec", spec_schema}, {"status", open}}}};
  const json column = {{"name", "Size"}, {"type", "integer"}, {"jsonPath", ".spec.size"}};
  const json version = {{"name", "v1"},
                        {"served", true},
                        {"storage", true},
                        {"subresources", {{"status", json::object()}}},
                        {"additionalPrinterColumns", json::array({column})},
                        {"schema", {{"openAPIV3Schema", schema}}}};
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", "widgets.example.com"}}},
          {"spec",
           {{"group", "example.com"},
            {"scope", "Namespaced"},
            {"names", {{"plural", "widgets"}, {"kind", "Widget"}, {"shortNames", {"wd"}}}},
            {"versions", json::array({version})}}}};
}

}  // namespace det::local::test
