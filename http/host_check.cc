#include "http/host_check.h"

#include <algorithm>
#include <cctype>

#include <boost/asio/ip/address.hpp>
#include <nlohmann/json.hpp>

#include "base/lower_case.h"

namespace det::http {
namespace {

namespace ip = boost::asio::ip;

// Lower case, without port, brackets and the dot of the DNS root.
std::string host_of(std::string_view authority) {
  if (authority.starts_with('[')) {
    authority = authority.substr(1, authority.find(']') - 1);
  } else if (const auto colon = authority.find(':'); colon != std::string_view::npos) {
    authority = authority.substr(0, colon);
  }
  if (authority.ends_with('.')) authority.remove_suffix(1);
  return lower_case(std::string(authority));
}

// Names of the command line are not in brackets when they are IPv6 addresses.
std::string host_of_name(const std::string& name) {
  return host_of(name.find(':') == name.rfind(':') ? name : "[" + name + "]");
}

// Of "host:port"; `otherwise` when none is there.
std::string_view port_of(std::string_view authority, std::string_view otherwise) {
  const auto bracket = authority.rfind(']');
  const auto colon = authority.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  return has_port ? authority.substr(colon + 1) : otherwise;
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

Response refused(int status, const std::string& message) {
  const nlohmann::json body = {{"message", message}};
  return Response::json(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), status);
}

}  // namespace

HostCheck::HostCheck(std::vector<std::string> names, bool any_address)
    : names_(std::move(names)), any_address_(any_address) {
  std::ranges::transform(names_, names_.begin(), host_of_name);
}

bool HostCheck::knows(std::string_view authority) const {
  const std::string host = host_of(authority);
  if (host == "localhost" || std::ranges::find(names_, host) != names_.end()) return true;
  boost::system::error_code not_one;
  const ip::address address = ip::make_address(host, not_one);
  return !not_one && (any_address_ || address.is_loopback());
}

std::optional<Response> HostCheck::refusal(const Request& request) const {
  std::string_view host;
  int hosts = 0;
  for (const auto& [name, value] : request.headers.fields()) {
    const bool is_host = std::ranges::equal(name, std::string_view("host"),
                                            [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
    if (!is_host) continue;
    host = value;
    ++hosts;
  }
  if (hosts > 1) return refused(400, "a request has one Host");
  if (hosts == 1 && !knows(host)) {
    return refused(421, "this server is not " + std::string(host) +
                            ": ask for it by localhost or its address, or start it with --allowed-host " +
                            host_of(host));
  }
  const auto origin = request.headers.find("Origin");
  if (!origin) return std::nullopt;
  const auto scheme = origin->find("://");
  if (scheme != std::string_view::npos && knows(origin->substr(scheme + 3))) return std::nullopt;
  return refused(403, "a page of " + std::string(*origin) + " may not send requests here");
}

bool is_from_own_page(const Request& request, std::span<const std::string> also) {
  // No page can write this one; browsers leave it out where there is no TLS.
  const auto site = request.headers.find("Sec-Fetch-Site");
  if (site == "same-origin") return true;
  const auto origin = request.headers.find("Origin");
  if (!origin) return !site || site == "none";
  const auto scheme = origin->find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view page = origin->substr(scheme + 3);
  const std::string host = host_of(page);
  if (host.empty()) return false;
  const std::string_view usual = origin->starts_with("https:") ? "443" : "80";
  const auto is_the_pages = [&](std::string_view authority) {
    return host_of(authority) == host && port_of(authority, usual) == port_of(page, usual);
  };
  if (is_the_pages(request.headers.find("Host").value_or(""))) return true;
  // Pages of others cannot write this one without asking (CORS), and nobody permits it.
  std::string_view forwarded = request.headers.find("X-Forwarded-Host").value_or("");
  while (!forwarded.empty()) {
    const auto comma = forwarded.find(',');
    if (is_the_pages(trimmed(forwarded.substr(0, comma)))) return true;
    forwarded = comma == std::string_view::npos ? std::string_view() : forwarded.substr(comma + 1);
  }
  return std::ranges::any_of(also, [&host](const std::string& name) { return host_of_name(name) == host; });
}

std::optional<Response> refusal_of_foreign_page(const Request& request, std::span<const std::string> also) {
  if (request.method == "GET" || request.method == "HEAD" || is_from_own_page(request, also)) return std::nullopt;
  if (request.headers.find("Authorization").value_or("").starts_with("Bearer ")) return std::nullopt;
  return refused(403,
                 "a page of " + std::string(request.headers.find("Origin").value_or("another site")) +
                     " may not send requests to " + std::string(request.headers.find("Host").value_or("here")) +
                     "; if it is this server's own page: let the proxy in front keep Host, or start the server with "
                     "--allowed-host and the page's host");
}

bool is_seen_by_tls(const Request& request) {
  if (request.is_tls || request.headers.find("Origin").value_or("").starts_with("https://")) return true;
  // Of several fronts the browser's comes first.
  const std::string_view forwarded = request.headers.find("X-Forwarded-Proto").value_or("");
  return lower_case(std::string(trimmed(forwarded.substr(0, forwarded.find(','))))) == "https";
}

}  // namespace det::http
