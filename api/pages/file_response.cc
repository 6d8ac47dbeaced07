#include "api/pages/file_response.h"

#include <cstddef>

#include "api/pages/text_stream.h"
#include "base/lower_case.h"
#include "base/split_text.h"

namespace det::api {

namespace {

constexpr std::size_t kSmall = std::size_t{32} << 10;  // what is sent as one piece

// "br", "br;q=0.5", but not "br;q=0" in any spelling.
bool takes(const http::Request& request, std::string_view coding) {
  for (const std::string& member : list_members(request.headers.find("Accept-Encoding").value_or(""))) {
    const auto end = member.find(';');
    if (std::string_view(member).substr(0, end) != coding) continue;
    const auto weight = member.find("q=");
    return weight == std::string::npos || member.find_first_of("123456789", weight) != std::string::npos;
  }
  return false;
}

bool has_it(const http::Request& request, const std::string& etag) {
  for (const std::string& known : list_members(request.headers.find("If-None-Match").value_or(""))) {
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

}  // namespace

std::vector<std::string> list_members(std::string_view field) {
  std::vector<std::string> all;
  for (const std::string_view part : split_text(field, ',')) {
    std::string member(part);
    std::erase_if(member, [](char c) { return c == ' ' || c == '\t'; });
    all.push_back(lower_case(std::move(member)));
  }
  return all;
}

http::Response file_response(const http::Request& request, const WebFile& file, const std::string& policy) {
  const Form form = form_for(request, file);
  const std::string etag = "\"" + file.hash + (*form.coding == '\0' ? "" : "-") + form.coding + "\"";
  http::Response response;
  response.headers.add("ETag", etag);
  response.headers.add("Cache-Control", file.is_immutable ? "public, max-age=31536000, immutable" : "no-cache");
  response.headers.add("Vary", "Accept-Encoding");
  // Also of what is no page: a file that is opened by itself is a document, and an SVG may hold a script.
  response.headers.add("Content-Security-Policy", policy);
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

}  // namespace det::api
