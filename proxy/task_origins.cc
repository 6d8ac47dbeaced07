#include "proxy/task_origins.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace det::proxy {
namespace {

constexpr std::string_view kHttps = "https://";
constexpr std::string_view kHttp = "http://";

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

std::string label_of_task(std::string_view task_id) {
  std::string label = lower(task_id);
  std::ranges::replace_if(label, [](unsigned char c) { return std::isalnum(c) == 0; }, '-');
  return label;
}

std::pair<std::string, std::string> split_authority(std::string_view authority) {
  const auto bracket = authority.rfind(']');
  const auto colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  std::string host = lower(has_port ? authority.substr(0, colon) : authority);
  if (host.ends_with('.')) host.pop_back();
  return {std::move(host), has_port ? std::string(authority.substr(colon)) : std::string()};
}

TaskOrigins::TaskOrigins(const OriginOptions& options) {
  std::string_view suffix = options.host_suffix;
  is_https_ = suffix.starts_with(kHttps);
  if (is_https_) suffix.remove_prefix(kHttps.size());
  if (suffix.starts_with(kHttp)) suffix.remove_prefix(kHttp.size());
  while (suffix.starts_with('.') || suffix.starts_with('*')) suffix.remove_prefix(1);
  std::tie(suffix_, suffix_port_) = split_authority(suffix);
  if (suffix_.empty()) port_ = options.port;
}

std::optional<std::string> TaskOrigins::label_of(std::string_view authority) const {
  if (suffix_.empty()) return std::nullopt;
  std::string host = split_authority(authority).first;
  if (!host.ends_with("." + suffix_)) return std::nullopt;
  host.resize(host.size() - suffix_.size() - 1);
  return host;
}

bool TaskOrigins::is_task_origin(std::string_view origin) const {
  const auto scheme = origin.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view authority = origin.substr(scheme + 3);
  if (port_ != 0) return split_authority(authority).second == ":" + std::to_string(port_);
  return label_of(authority).has_value();
}

bool TaskOrigins::is_https(const http::Request& request, bool on_task_origin) const {
  return request.is_tls || (on_task_origin && is_https_);
}

std::string TaskOrigins::origin_for(std::string_view task_id, const http::Request& request) const {
  std::string origin(is_https(request, true) ? kHttps : kHttp);
  auto [host, port] = split_authority(request.headers.find("Host").value_or("localhost"));
  if (port_ != 0) return origin + host + ":" + std::to_string(port_);
  // A front that speaks TLS has a port of its own.
  if (!suffix_port_.empty() || (is_https_ && !request.is_tls)) port = suffix_port_;
  return origin + label_of_task(task_id) + "." + suffix_ + port;
}

}  // namespace det::proxy
