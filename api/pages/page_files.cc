// The web page as webui/ builds it, from memory: /ui/ and what is below it, and what leads there. The files are the
// same for everybody; what a person may see the page asks for over the API.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/arguments.h"
#include "api/error_response.h"
#include "api/pages/deep_links.h"
#include "api/pages/file_response.h"
#include "api/pages/routes.h"
#include "api/pages/upstream_pages.h"
#include "api/pages/web_page.h"
#include "base/split_text.h"

namespace det::api::routes {

namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'";
constexpr std::string_view kCustomLogo = "customer-assets/logo";  // there is none: GET /api/v1/master says so

http::Response found(std::string location) {
  http::Response response;
  response.status = 302;
  response.headers.add("Location", std::move(location));
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Referrer-Policy", "same-origin");
  return response;
}

std::string_view path_as_sent(const http::Request& request) {
  return std::string_view(request.target).substr(0, request.target.find_first_of("?#"));
}

}  // namespace

bool leads_to_page(const ApiServices& services, const http::Request& request) {
  if (services.page == nullptr) return false;
  for (const std::string& type : list_members(request.headers.find("Accept").value_or(""))) {
    if (type.starts_with("text/html")) return true;
  }
  return false;
}

http::Response upstream_page(const UpstreamPages& pages, const http::Request& request, std::string_view path) {
  if (const WebFile* file = pages.find(path)) return file_response(request, *file, pages.policy());
  // What a page of another release loads must not be kept as this one's index.
  if (path.starts_with(kHashedFolder) || path == kCustomLogo) return unknown_path_response(request);
  return file_response(request, pages.index(), pages.policy());
}

http::Response to_page(const http::Request& request, const std::string& address) {
  return found(way_back(request.target) + "ui/" + address);
}

Task<Result<http::Response>> page_asset(ApiServices& services, Call call) {
  const std::string name = "assets/" + path_text(call.request, "name");
  const WebFile* const file = services.page == nullptr ? nullptr : services.page->find(name);
  if (file == nullptr) co_return unknown_path_response(call.request);
  co_return file_response(call.request, *file, kPolicy);
}

Task<Result<http::Response>> page_index(ApiServices& services, Call call) {
  if (services.page == nullptr) co_return unknown_path_response(call.request);
  if (const WebFile* file = services.page->find(path_text(call.request, "path"))) {
    co_return file_response(call.request, *file, kPolicy);
  }
  const std::string_view path = path_as_sent(call.request);
  const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
  // Without its slash, what the page loads would be looked for beside it.
  if (slashes == 1) co_return to_page(call.request, {});
  const std::size_t depth = slashes - 1;
  if (depth > WebPage::kDeepest) co_return unknown_path_response(call.request);
  co_return file_response(call.request, services.page->index(depth), kPolicy);
}

Task<Result<http::Response>> deep_link(ApiServices& services, Call call) {
  const std::string path = path_text(call.request, "path");
  if (services.upstream_pages != nullptr) co_return upstream_page(*services.upstream_pages, call.request, path);
  if (services.page == nullptr) co_return unknown_path_response(call.request);
  const auto segments = split_text(path, '/');
  co_return to_page(call.request, page_of_deep_link({segments.begin(), segments.end()}));
}

}  // namespace det::api::routes
