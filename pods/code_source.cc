#include "pods/code_source.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json_get.h"

namespace det::pods {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kSchemes = {"https://", "http://", "ssh://", "file://"};
constexpr const char* kSecretFolder = "/run/determined/git-secret";
constexpr const char* kClaimFolder = "/run/determined/code";

Error wrong(const char* field, std::string message) {
  return {.code = ErrorCode::kInvalidArgument, .message = std::move(message), .field = field, .retry_after = {}};
}

// "user@host:path", as ssh has it.
bool is_scp_like(std::string_view url) {
  const auto colon = url.find(':');
  return colon != std::string_view::npos && url.find('@') < colon && url.find('/') > colon;
}

std::optional<Error> url_error(const std::string& url) {
  const bool has_scheme = std::ranges::any_of(kSchemes, [&](auto scheme) { return url.starts_with(scheme); });
  if (url.starts_with('-') || (!has_scheme && !is_scp_like(url))) {
    return wrong("git.url", "'" + url +
                                "' is no address of a repository; https://HOST/PATH, ssh://USER@HOST/PATH or "
                                "USER@HOST:PATH is needed");
  }
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c == 0x7f; })) {
    return wrong("git.url", "it contains a space or a control character");
  }
  // The URL stands in objects, events and logs that many may read; the text of the error does not repeat it.
  const auto host = has_scheme ? url.find("://") + 3 : 0;
  const auto at = url.substr(host, url.find('/', host) - host).rfind('@');
  const bool has_password =
      has_scheme && at != std::string::npos && url.substr(host, at).find(':') != std::string::npos;
  const bool is_http = url.starts_with("http");
  if (has_password || (is_http && at != std::string::npos)) {
    return wrong("git.url",
                 "it contains credentials; put them into a Secret and name it in spec.context.git.secretName");
  }
  return std::nullopt;
}

std::optional<Error> ref_error(const std::string& ref) {
  const bool is_odd = ref.starts_with('-') || ref.find("..") != std::string::npos ||
                      ref.find_first_of(" \t\n~^:?*[\\") != std::string::npos;
  if (!is_odd) return std::nullopt;
  return wrong("git.ref", "'" + ref + "' is not a branch, a tag or a commit");
}

std::optional<Error> path_error(const char* field, const std::string& path) {
  if (path.starts_with('/')) return wrong(field, "'" + path + "' must be relative, without a leading '/'");
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (part == "..") return wrong(field, "'" + path + "' must not contain '..'");
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return std::nullopt;
}

json& main_container(json& pod) {
  // pod_builder puts it first.
  return pod["spec"]["containers"][0];
}

void add_volume(json& pod, const char* name, json source, const char* path) {
  source["name"] = name;
  pod["spec"]["volumes"].push_back(std::move(source));
  main_container(pod)["volumeMounts"].push_back({{"name", name}, {"mountPath", path}, {"readOnly", true}});
}

}  // namespace

std::string code_source_kind(const json& context) {
  for (const char* kind : {"git", "pvc"}) {
    if (context.is_object() && context.contains(kind)) return kind;
  }
  return {};
}

bool is_code_source(const json& context) {
  return !code_source_kind(context).empty();
}

std::optional<Error> code_source_error(const json& context) {
  const json& git = get_any(context, "git");
  if (!git.is_object()) return path_error("pvc.path", get_string(get_any(context, "pvc"), "path"));
  if (auto error = url_error(get_string(git, "url"))) return error;
  if (auto error = ref_error(get_string(git, "ref"))) return error;
  return path_error("git.path", get_string(git, "path"));
}

void add_code_source(json& pod, const json& source) {
  if (!is_code_source(source)) return;
  main_container(pod)["env"].push_back({{"name", "DET_CODE_SOURCE"}, {"value", source.dump()}});
  const std::string secret = get_string(get_any(source, "git"), "secretName");
  if (!secret.empty()) {
    add_volume(pod, "det-git-secret", {{"secret", {{"secretName", secret}, {"defaultMode", 0444}}}}, kSecretFolder);
  }
  const std::string claim = get_string(get_any(source, "pvc"), "claimName");
  if (!claim.empty()) {
    add_volume(pod, "det-code", {{"persistentVolumeClaim", {{"claimName", claim}}}}, kClaimFolder);
  }
}

}  // namespace det::pods
