#include "cli/master_address.h"

#include "base/lower_case.h"

namespace det::cli {
namespace {

std::unexpected<Error> refused(std::string_view address, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "'" + std::string(address) + "' is no master address: " + why +
                                               "; give host:port or http(s)://host[:port]");
}

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  return value >= 1 && value <= 65535;
}

}  // namespace

MasterPlace place_of(const std::string& url) {
  MasterPlace place{.is_secure = url.starts_with("https://"), .host = {}, .authority = {}, .port = {}, .path = {}};
  const auto start = url.find("://") + 3;
  const auto slash = url.find('/', start);
  place.authority = url.substr(start, slash == std::string::npos ? slash : slash - start);
  if (slash != std::string::npos) place.path = url.substr(slash);
  const auto colon = place.authority.rfind(':');
  place.port = place.authority.substr(colon + 1);
  place.host = place.authority.substr(0, colon);
  if (place.host.starts_with('[')) place.host = place.host.substr(1, place.host.size() - 2);
  return place;
}

Result<std::string> canonical_master_url(std::string_view address) {
  std::string scheme = "http";
  std::string port = "8080";
  std::string_view rest = address;
  if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    port = "80";
  } else if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
    scheme = "https";
    port = "443";
  } else if (rest.find("://") != std::string_view::npos) {
    return refused(address, "only http:// and https:// are known");
  }
  if (rest.find_first_of("?#") != std::string_view::npos)
    return refused(address, "a query or fragment has no place in it");
  const auto slash = rest.find('/');
  std::string path(slash == std::string_view::npos ? std::string_view() : rest.substr(slash));
  while (path.ends_with('/')) path.pop_back();
  std::string_view authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) {
    return refused("...", "a user or password has no place in it (use -u, or DET_USER and DET_PASS)");
  }
  const auto bracket = authority.rfind(']');
  const auto colon = authority.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    port = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
  }
  if (!is_port(port)) return refused(address, "'" + port + "' is no port number");
  if (authority.empty() || authority.find_first_of(" \t\r\n") != std::string_view::npos) {
    return refused(address, "it names no host");
  }
  return scheme + "://" + lower_case(std::string(authority)) + ":" + port + path;
}

Result<MasterAddress> find_master(const Invocation& in) {
  MasterAddress found{.url = in.globals.master, .source = "-m"};
  for (const char* name : {"DET_MASTER", "DET_MASTER_ADDR"}) {
    if (!found.url.empty()) break;
    found = {.url = in.world.variable_or(name, ""), .source = name};
  }
  if (found.url.empty()) found = {.url = "localhost:8080", .source = "the default"};
  auto url = canonical_master_url(found.url);
  if (!url) return std::unexpected(with_context(url.error(), found.source));
  found.url = std::move(*url);
  return found;
}

}  // namespace det::cli
