#include "pods/pull_secret.h"

#include <string_view>

#include "base/encoding.h"
#include "pods/names.h"

namespace det::pods {
namespace {

using nlohmann::json;

constexpr std::string_view kDockerHub = "https://index.docker.io/v1/";

const json* auth_of(const GangRequest& gang) {
  const json& environment = gang.config.at("environment");
  const auto found = environment.find("registry_auth");
  return found == environment.end() || !found->is_object() || found->empty() ? nullptr : &*found;
}

// As container runtimes read image names: the first part is a host when it has a dot or a port, or is localhost.
std::string registry_of(std::string_view image) {
  const std::string_view first = image.substr(0, image.find('/'));
  const bool is_host =
      first.size() < image.size() && (first.find_first_of(".:") != std::string_view::npos || first == "localhost");
  return std::string(is_host && first != "docker.io" ? first : kDockerHub);
}

}  // namespace

std::optional<std::string> pull_secret_name(const GangRequest& gang) {
  if (auth_of(gang) == nullptr) return std::nullopt;
  return allocation_secret_name(gang.trial.name, gang.run) + "-pull";
}

json pull_secret_data(const PodSettings& settings, const GangRequest& gang) {
  const json* auth = auth_of(gang);
  json entry = json::object();
  std::string server;
  if (auth != nullptr) {
    for (const char* key : {"username", "password", "auth", "email", "identitytoken", "registrytoken"}) {
      if (auth->contains(key) && auth->at(key).is_string()) entry[key] = auth->at(key);
    }
    if (auth->contains("serveraddress") && auth->at("serveraddress").is_string()) {
      server = auth->at("serveraddress").get<std::string>();
    }
  }
  if (entry.contains("username") && entry.contains("password") && !entry.contains("auth")) {
    entry["auth"] = base64_encode(entry["username"].get<std::string>() + ":" + entry["password"].get<std::string>());
  }
  if (server.empty()) {
    const char* device =
        gang.slots_per_pod == 0 ? "cpu" : model::to_string(slots_of(settings, gang.config).type).data();
    server = registry_of(gang.config.at("environment").at("image").at(device).get<std::string>());
  }
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"type", "kubernetes.io/dockerconfigjson"},
          {"immutable", true},
          {"stringData", {{".dockerconfigjson", json{{"auths", {{server, entry}}}}.dump()}}}};
}

}  // namespace det::pods
