#include "pods/pull_secret.h"

#include <string_view>

#include "base/encoding.h"
#include "base/json_get.h"
#include "pods/names.h"

namespace det::pods {
namespace {

using nlohmann::json;

constexpr std::string_view kDockerHub = "https://index.docker.io/v1/";

// As container runtimes read image names: the first part is a host when it has a dot or a port, or is localhost.
std::string registry_of(std::string_view image) {
  const std::string_view first = image.substr(0, image.find('/'));
  const bool is_host =
      first.size() < image.size() && (first.find_first_of(".:") != std::string_view::npos || first == "localhost");
  return std::string(is_host && first != "docker.io" ? first : kDockerHub);
}

}  // namespace

std::string pull_secret_name(std::string_view base, int run) {
  return allocation_secret_name(base, run) + "-pull";
}

std::optional<std::string> pull_secret_name(const TaskRequest& task) {
  if (task.config.environment.registry_auth.is_null()) return std::nullopt;
  return pull_secret_name(task.base_name, task.run);
}

json pull_secret_data(const PodSettings& settings, const TaskRequest& task) {
  const json& auth = task.config.environment.registry_auth;
  json entry = json::object();
  for (const char* key : {"username", "password", "auth", "email", "identitytoken", "registrytoken"}) {
    if (get_any(auth, key).is_string()) entry[key] = auth.at(key);
  }
  std::string server = get_string(auth, "serveraddress");
  if (entry.contains("username") && entry.contains("password") && !entry.contains("auth")) {
    entry["auth"] = base64_encode(entry["username"].get<std::string>() + ":" + entry["password"].get<std::string>());
  }
  if (server.empty()) server = registry_of(task.config.environment.image.of(device_of(settings, task)));
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"type", "kubernetes.io/dockerconfigjson"},
          {"immutable", true},
          {"stringData", {{".dockerconfigjson", json{{"auths", {{server, entry}}}}.dump()}}}};
}

}  // namespace det::pods
