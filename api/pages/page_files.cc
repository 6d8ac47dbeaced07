// The web page as webui/ builds it, from memory: /ui/ and what is below it, and what leads there. The files are the
// same for everybody; what a person may see the page asks for over the API.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "api/arguments.h"
#include "api/error_response.h"
#include "api/pages/deep_links.h"
#include "api/pages/routes.h"
#include "api/pages/text_stream.h"
#include "api/pages/web_page.h"
#include "base/lower_case.h"
#include "base/split_text.h"

namespace det::api::routes {

namespace {

constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'";
constexpr std::size_t kSmall = std::size_t{32} << 10;  // what is sent as one piece

// The members of a list in a header field, without spaces and in lower case.
std::vector<std::string> members(std::string_view field) {
  std::vector<std::string> all;
  for (const std::string_view part : split_text(field, ',')) {
    std::string member(part);
    std::erase_if(member, [](char c) { return c == ' ' || c == '\t'; });
    all.push_back(lower_case(std::move(member)));
  }
  return all;
}

// "br", "br;q=0.5", but not "br;q=0" in any spelling.
bool takes(const http::Request& request, std::string_view coding) {
  for (const std::string& member : members(request.headers.find("Accept-Encoding").value_or(""))) {
    const auto end = member.find(';');
    if (std::string_view(member).substr(0, end) != coding) continue;
    const auto weight = member.find("q=");
    return weight == std::string::npos || member.find_first_of("123456789", weight) != std::string::npos;
  }
  return false;
}

bool has_it(const http::Request& request, const std::string& etag) {
  for (const std::string& known : members(request.headers.find("If-None-Match").value_or(""))) {
    if (known == "*" || known == etag || known == "w/" + etag) return true;
  }
  return false;
}

// The form of a file that the client takes, and what it is called.
struct Form {
  const std::string& text;
  const char* coding;  // empty: as it is
};

Form form_for(const http::Request& request, const WebFile& file) {
  if (!file.brotli.empty() && takes(request, "br")) return {file.brotli, "br"};
  if (!file.gzip.empty() && takes(request, "gzip")) return {file.gzip, "gzip"};
  return {file.plain, ""};
}

http::Response file_response(const http::Request& request, const WebFile& file) {
  const Form form = form_for(request, file);
  const std::string etag = "\"" + file.hash + (*form.coding == '\0' ? "" : "-") + form.coding + "\"";
  http::Response response;
  response.headers.add("ETag", etag);
  response.headers.add("Cache-Control", file.is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.add("Vary", "Accept-Encoding");
  // Also of what is no page: a file that is opened by itself is a document, and an SVG may hold a script.
  response.headers.add("Content-Security-Policy", kPolicy);
  response.headers.add("X-Content-Type-Options", "nosniff");
  response.headers.add("Referrer-Policy", "same-origin");
  response.headers.add("Cross-Origin-Resource-Policy", "same-origin");
  response.headers.add("Cross-Origin-Opener-Policy", "same-origin");
  if (has_it(request, etag)) {
    response.status = 304;
    return response;
  }
  response.headers.add("Content-Type", file.type);
  if (*form.coding != '\0') response.headers.add("Content-Encoding", form.coding);
  // An answer to HEAD is as long as its body would be.
  if (form.text.size() <= kSmall || request.method == "HEAD") {
    response.body = form.text;
  } else {
    response.stream = stream_of(form.text);
  }
  return response;
}

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
  for (const std::string& type : members(request.headers.find("Accept").value_or(""))) {
    if (type.starts_with("text/html")) return true;
  }
  return false;
}

http::Response to_page(const http::Request& request, const std::string& address) {
  return found(way_back(request.target) + "ui/" + address);
}

Task<Result<http::Response>> page_asset(ApiServices& services, Call call) {
  const std::string name = "assets/" + path_text(call.request, "name");
  const WebFile* const file = services.page == nullptr ? nullptr : services.page->find(name);
  if (file == nullptr) co_return unknown_path_response(call.request);
  co_return file_response(call.request, *file);
}

Task<Result<http::Response>> page_index(ApiServices& services, Call call) {
  if (services.page == nullptr) co_return unknown_path_response(call.request);
  if (const WebFile* file = services.page->find(path_text(call.request, "path"))) {
    co_return file_response(call.request, *file);
  }
  const std::string_view path = path_as_sent(call.request);
  const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
  // Without its slash, what the page loads would be looked for beside it.
  if (slashes == 1) co_return to_page(call.request, {});
  const std::size_t depth = slashes - 1;
  if (depth > WebPage::kDeepest) co_return unknown_path_response(call.request);
  co_return file_response(call.request, services.page->index(depth));
}

Task<Result<http::Response>> deep_link(ApiServices& services, Call call) {
  if (services.page == nullptr) co_return unknown_path_response(call.request);
  const std::string path = path_text(call.request, "path");
  const auto segments = split_text(path, '/');
  co_return to_page(call.request, page_of_deep_link({segments.begin(), segments.end()}));
}

}  // namespace det::api::routes
