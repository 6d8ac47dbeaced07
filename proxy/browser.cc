#include "proxy/browser.h"

#include <utility>

#include "proxy/cookies.h"
#include "proxy/response_head.h"
#include "proxy/task_origins.h"

namespace det::proxy {
namespace {

bool accepts_pages(const http::Request& request) {
  const auto accept = request.headers.find("Accept");
  return accept && accept->contains("text/html");
}

bool is_get(const http::Request& request) {
  return request.method == "GET" || request.method == "HEAD";
}

}  // namespace

bool is_browser(const http::Request& request) {
  const auto& headers = request.headers;
  return headers.find("Sec-Fetch-Mode") || headers.find("Sec-Fetch-Site") || headers.find("Sec-Fetch-Dest") ||
         (is_get(request) && accepts_pages(request)) || !cookies_of(request, kLoginCookie).empty();
}

bool is_navigation(const http::Request& request) {
  if (request.headers.find("Upgrade")) return false;
  if (const auto mode = request.headers.find("Sec-Fetch-Mode")) return *mode == "navigate";
  return accepts_pages(request);
}

bool is_own_page(const http::Request& request) {
  if (const auto origin = request.headers.find("Origin")) {
    const auto scheme = origin->find("://");
    const auto host = request.headers.find("Host");
    if (scheme == std::string_view::npos || !host) return false;
    if (split_authority(origin->substr(scheme + 3)) != split_authority(*host)) return false;
  }
  const auto site = request.headers.find("Sec-Fetch-Site");
  if (!site || *site == "same-origin" || *site == "none") return true;
  return is_get(request) && is_navigation(request);
}

std::string own_origin(const http::Request& request, bool is_https) {
  return std::string(is_https ? "https://" : "http://").append(request.headers.find("Host").value_or(""));
}

std::string rest_of(std::string_view target) {
  const auto second = target.find('/', 1);
  if (second == std::string_view::npos) return {};
  const auto third = target.find_first_of("/?", second + 1);
  if (third == std::string_view::npos) return {};
  return std::string(target.substr(target[third] == '/' ? third + 1 : third));
}

}  // namespace det::proxy
