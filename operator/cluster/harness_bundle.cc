#include "operator/cluster/harness_bundle.h"

#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "pods/names.h"

namespace det::op {

// Generated from harness/ (cmake/EmbedFiles.cmake), sorted by name.
std::vector<std::pair<std::string_view, std::string_view>> harness_files();

using nlohmann::json;

std::string harness_config_map_name() {
  std::string all;
  for (const auto& [name, content] : harness_files()) {
    all += name;
    all += '\0';
    all += content;
    all += '\0';
  }
  return "det-harness-" + sha256_hex(all).substr(0, 12);
}

json build_harness_config_map(const std::string& ns) {
  json data = json::object();
  for (const auto& [name, content] : harness_files()) data[std::string(name)] = content;
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"immutable", true},
          {"metadata",
           {{"name", harness_config_map_name()},
            {"namespace", ns},
            {"labels", {{"app.kubernetes.io/part-of", pods::kFieldManager}}}}},
          {"data", std::move(data)}};
}

Task<Status> ensure_harness_bundle(k8s::Client& client, std::string ns, std::string name) {
  auto found = co_await client.get(k8s::config_maps(), {.ns = ns, .name = name});
  if (found) co_return Status{};
  if (found.error().code != ErrorCode::kNotFound) co_return std::unexpected(std::move(found).error());
  json wanted = build_harness_config_map(ns);
  const k8s::WriteOptions options;
  auto created = co_await client.create(k8s::config_maps(), ns, std::move(wanted), options);
  if (!created && created.error().code != ErrorCode::kAlreadyExists) {
    co_return std::unexpected(with_context(std::move(created).error(), "create ConfigMap " + name));
  }
  co_return Status{};
}

}  // namespace det::op
