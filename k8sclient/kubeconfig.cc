#include "k8sclient/kubeconfig.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "base/yaml.h"

namespace det::k8s {
namespace {

using nlohmann::json;

std::unexpected<Error> wrong(std::string field, std::string message) {
  return fail(ErrorCode::kInvalidArgument, field + ": " + message, field);
}

// kubeconfig keeps its parts in lists of {name, <part>}.
Result<json> named(const json& file, const std::string& list, const std::string& part, const std::string& name) {
  std::string known;
  for (const auto& entry : get_array(file, list)) {
    const std::string entry_name = get_string(entry, "name");
    if (entry_name == name) return get_object(entry, part);
    known += (known.empty() ? "" : ", ") + entry_name;
  }
  return wrong(list, "there is no \"" + name + "\"; there is: " + (known.empty() ? "nothing" : known));
}

std::string resolve(const std::string& folder, const std::string& file) {
  return (std::filesystem::path(folder) / file).string();
}

// KEY-data holds base64, KEY a file name; data wins, as in kubectl.
Result<std::string> inline_or_file(const json& part, const std::string& key, const std::string& folder) {
  const std::string data = get_string(part, key + "-data");
  if (!data.empty()) {
    auto bytes = base64_decode(data);
    if (!bytes) return wrong(key + "-data", "is not base64");
    return bytes;
  }
  const std::string file = get_string(part, key);
  if (file.empty()) return std::string();
  auto text = read_text_file(resolve(folder, file));
  if (!text) return wrong(key, text.error().message);
  return text;
}

Status refuse_unsupported(const json& cluster, const json& user) {
  struct Refused {
    const json& part;
    const char* key;
    const char* instead;
  };
  const std::array<Refused, 6> all = {{
      {user, "exec", "use a token, a tokenFile or a client certificate (kubectl create token NAME makes a token)"},
      {user, "auth-provider", "use a token, a tokenFile or a client certificate"},
      {user, "username", "API servers dropped passwords: use a token or a client certificate"},
      {user, "as", "give the user its rights by a RoleBinding"},
      {user, "impersonate-user", "give the user its rights by a RoleBinding"},
      {cluster, "proxy-url", "set HTTPS_PROXY in the environment"},
  }};
  for (const auto& [part, key, instead] : all) {
    if (!get_any(part, key).is_null()) {
      return fail(ErrorCode::kUnimplemented, std::string(key) + " is not supported here: " + instead, key);
    }
  }
  return {};
}

Status read_cluster(const json& cluster, const std::string& folder, KubeconfigContext& out) {
  out.server = get_string(cluster, "server");
  if (!out.server.starts_with("https://") && !out.server.starts_with("http://")) {
    return wrong("server", "expected https://HOST:PORT, but got \"" + out.server + "\"");
  }
  while (out.server.ends_with('/')) out.server.pop_back();
  auto ca = inline_or_file(cluster, "certificate-authority", folder);
  DET_TRY(ca);
  out.tls.ca_pem = std::move(*ca);
  out.tls.server_name = get_string(cluster, "tls-server-name");
  out.tls.verify = !get_bool(cluster, "insecure-skip-tls-verify");
  return {};
}

Status read_user(const json& user, const std::string& folder, KubeconfigContext& out) {
  auto certificate = inline_or_file(user, "client-certificate", folder);
  DET_TRY(certificate);
  auto key = inline_or_file(user, "client-key", folder);
  DET_TRY(key);
  if (certificate->empty() != key->empty()) {
    return wrong(key->empty() ? "client-key" : "client-certificate", "is missing: a client certificate needs both");
  }
  out.tls.certificate_pem = std::move(*certificate);
  out.tls.key_pem = std::move(*key);
  out.token = get_string(user, "token");
  const std::string token_file = get_string(user, "tokenFile");
  if (!token_file.empty()) out.token_file = resolve(folder, token_file);
  return {};
}

}  // namespace

Result<std::string> read_text_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(ErrorCode::kNotFound, "cannot read " + path + ": " + std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  // A folder opens, but cannot be read.
  if (file.bad() || text.bad()) return fail(ErrorCode::kNotFound, "cannot read " + path);
  return std::move(text).str();
}

Result<KubeconfigContext> read_kubeconfig(std::string_view text, const std::string& context,
                                          const std::string& folder) {
  const auto file = parse_yaml(text);
  DET_TRY(file);
  if (!file->is_object()) return fail(ErrorCode::kInvalidArgument, "is not a kubeconfig: expected a mapping");
  const std::string name = context.empty() ? get_string(*file, "current-context") : context;
  if (name.empty()) return wrong("current-context", "is not set: name a context");
  const auto chosen = named(*file, "contexts", "context", name);
  DET_TRY(chosen);
  const auto cluster = named(*file, "clusters", "cluster", get_string(*chosen, "cluster"));
  DET_TRY(cluster);
  json user = json::object();
  const std::string user_name = get_string(*chosen, "user");
  if (!user_name.empty()) {
    auto found = named(*file, "users", "user", user_name);
    DET_TRY(found);
    user = std::move(*found);
  }

  KubeconfigContext out;
  const std::string ns = get_string(*chosen, "namespace");
  if (!ns.empty()) out.ns = ns;
  for (const Status& step :
       {refuse_unsupported(*cluster, user), read_cluster(*cluster, folder, out), read_user(user, folder, out)}) {
    DET_TRY(step);
  }
  return out;
}

}  // namespace det::k8s
