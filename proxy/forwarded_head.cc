#include "proxy/forwarded_head.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/lower_case.h"
#include "base/split_text.h"
#include "http/connection_book.h"
#include "proxy/cookies.h"

namespace det::proxy {
namespace {

// Sorted, lower case, with '-' for '_' too: programs behind CGI cannot tell the two apart.
constexpr auto kNotForwarded = std::to_array<std::string_view>({"connection",
                                                                "content-length",
                                                                "cookie",
                                                                "expect",
                                                                "forwarded",
                                                                "grpc-metadata-x-allocation-token",
                                                                "host",
                                                                "keep-alive",
                                                                "proxy-authenticate",
                                                                "proxy-authorization",
                                                                "proxy-connection",
                                                                "te",
                                                                "trailer",
                                                                "transfer-encoding",
                                                                "upgrade",
                                                                "x-forwarded-for",
                                                                "x-forwarded-host",
                                                                "x-forwarded-port",
                                                                "x-forwarded-proto",
                                                                "x-forwarded-server",
                                                                "x-forwarded-ssl",
                                                                "x-real-ip"});
constexpr auto kNotAnswered = std::to_array<std::string_view>(
    {"alt-svc", "clear-site-data", "connection", "content-length", "keep-alive", "proxy-authenticate",
     "proxy-connection", "set-cookie", "strict-transport-security", "te", "trailer", "transfer-encoding", "upgrade"});
static_assert(std::ranges::is_sorted(kNotForwarded) && std::ranges::is_sorted(kNotAnswered));

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  std::array<char, 40> lower{};
  if (name.size() > lower.size()) return false;
  std::ranges::transform(name, lower.begin(), [](char c) {
    if (c == '_') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::binary_search(names, std::string_view(lower.data(), name.size()));
}

void add(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

// The words of Connection, which names fields that go no further. A head may have thousands of both: they are taken
// apart once.
class ConnectionWords {
 public:
  template <typename Fields>
  explicit ConnectionWords(const Fields& fields) {
    for (const auto& [name, value] : fields) {
      if (!is_same_name(name, "Connection")) continue;
      for (const std::string_view word : split_text(value, ','))
        words_.push_back(lower_case(std::string(trimmed(word))));
    }
    std::ranges::sort(words_);
  }
  [[nodiscard]] bool has(std::string_view name) const {
    return !words_.empty() && std::ranges::binary_search(words_, lower_case(std::string(name)));
  }

 private:
  std::vector<std::string> words_;
};

std::string status_line(const ResponseHead& head) {
  std::string line = "HTTP/1.1 " + std::to_string(head.status) + " ";
  return line.append(head.reason).append("\r\n");
}

void add_fields(std::string& text, const ResponseHead& head) {
  const ConnectionWords connection(head.fields);
  for (const auto& [name, value] : head.fields) {
    if (is_same_name(name, "Set-Cookie")) {
      if (const auto clean = clean_set_cookie(value)) add(text, name, *clean);
    } else if (!is_among(kNotAnswered, name) && !connection.has(name)) {
      add(text, name, value);
    }
  }
}

}  // namespace

BodyFraming body_of(const http::Request& request) {
  if (request.headers.find("Transfer-Encoding")) return {.kind = BodyKind::kChunked};
  const auto length = request.headers.find("Content-Length");
  const std::uint64_t bytes = length ? parse_length(*length).value_or(0) : 0;
  return {.kind = bytes > 0 ? BodyKind::kLength : BodyKind::kNone, .length = bytes};
}

bool wants_websocket(const http::Request& request) {
  const auto upgrade = request.headers.find("Upgrade");
  return request.method == "GET" && upgrade && is_same_name(*upgrade, "websocket") &&
         ConnectionWords(request.headers.fields()).has("upgrade");
}

std::string request_head(const http::Request& request, const RequestNotes& notes) {
  std::string head;
  head.reserve(1024);
  head.append(request.method).append(" ").append(notes.target).append(" HTTP/1.1\r\n");
  const auto host = request.headers.find("Host");
  add(head, "Host", host ? *host : std::string_view(notes.fallback_host));
  const ConnectionWords connection(request.headers.fields());
  std::string cookies;
  for (const auto& [name, value] : request.headers.fields()) {
    if (is_same_name(name, "Cookie")) {
      const std::string left = without_our_cookies(value);
      if (!left.empty()) cookies.append(cookies.empty() ? "" : "; ").append(left);
    } else if (is_among(kNotForwarded, name) || connection.has(name)) {
      continue;
    } else if (notes.has_our_token && is_same_name(name, "Authorization")) {
      continue;
    } else {
      add(head, name, value);
    }
  }
  if (!cookies.empty()) add(head, "Cookie", cookies);
  const std::string address = http::address_of_peer(request.peer);
  add(head, "X-Real-Ip", address);
  add(head, "X-Forwarded-For", address);
  add(head, "X-Forwarded-Proto", notes.is_https ? "https" : "http");
  if (host) add(head, "X-Forwarded-Host", *host);
  const BodyFraming body = body_of(request);
  if (body.kind == BodyKind::kChunked) add(head, "Transfer-Encoding", "chunked");
  if (body.kind == BodyKind::kLength || request.headers.find("Content-Length")) {
    add(head, "Content-Length", std::to_string(body.length));
  }
  if (notes.may_continue && body.kind != BodyKind::kNone) {
    if (const auto expect = request.headers.find("Expect"); expect && is_same_name(*expect, "100-continue")) {
      add(head, "Expect", *expect);
    }
  }
  head.append(wants_websocket(request) ? "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
                                       : "Connection: keep-alive\r\n\r\n");
  return head;
}

std::string answer_head(const ResponseHead& head, const AnswerNotes& notes) {
  std::string text = status_line(head);
  text.reserve(head.size + 128);
  add_fields(text, head);
  if (!notes.set_cookie.empty()) add(text, "Set-Cookie", notes.set_cookie);
  if (notes.is_apis_origin) {
    add(text, "Content-Security-Policy", "sandbox");
    add(text, "X-Content-Type-Options", "nosniff");
  }
  const std::string_view length = head.find("Content-Length");
  if (notes.sends_chunks) {
    add(text, "Transfer-Encoding", "chunked");
  } else if (!length.empty() && head.status != 204 && notes.body.kind != BodyKind::kChunked) {
    add(text, "Content-Length", length);
  }
  text.append(notes.keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
  return text;
}

std::string interim_head(const ResponseHead& head, bool upgrade) {
  std::string text = status_line(head);
  add_fields(text, head);
  text.append(upgrade ? "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n" : "\r\n");
  return text;
}

}  // namespace det::proxy
