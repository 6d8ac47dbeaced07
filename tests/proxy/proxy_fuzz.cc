// What a task's program and its clients can make the proxy read: the first byte chooses what the rest is. Each is read
// in one piece and in small ones, which must come to the same; what goes on must be read again as what came, without
// what is to stay here.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "http/websocket_frames.h"
#include "proxy/body_relay.h"
#include "proxy/chunk_decoder.h"
#include "proxy/cookies.h"
#include "proxy/forwarded_head.h"
#include "proxy/response_head.h"

namespace {

using namespace det;
using namespace det::proxy;

void check(bool is_right) {
  if (!is_right) std::abort();
}

// What goes to a client is one head to its last byte, says one thing about its body, and sets no cookie of ours.
void check_answer(const ResponseHead& head, const BodyFraming& framing, std::string_view method) {
  for (const bool is_apis_origin : {false, true}) {
    const bool sends_chunks = framing.kind == BodyKind::kChunked || framing.kind == BodyKind::kUntilClose;
    const std::string text = answer_head(
        head, {.body = framing, .sends_chunks = sends_chunks, .keep_alive = true, .is_apis_origin = is_apis_origin});
    const auto again = read_response_head(text);
    check(again && *again && (*again)->size == text.size() && (*again)->status == head.status);
    const auto its_framing = framing_of(**again, method);
    check(its_framing.has_value());
    const BodyFraming wanted = sends_chunks ? BodyFraming{.kind = BodyKind::kChunked, .length = 0} : framing;
    check(*its_framing == wanted);
    for (const auto& [name, value] : (*again)->fields) {
      check(!is_same_name(name, "Set-Cookie") || clean_set_cookie(value) == value);
      check(!is_same_name(name, "Alt-Svc") && !is_same_name(name, "Clear-Site-Data") && !is_same_name(name, "Upgrade"));
    }
    check(!is_apis_origin || (*again)->has_word("Content-Security-Policy", "sandbox"));
  }
}

void read_answer(std::string_view bytes) {
  const auto head = read_response_head(bytes);
  if (!head || !*head) return;
  const std::size_t size = (*head)->size;
  check(size <= bytes.size());
  for (const std::size_t part : {size - 1, size / 2, size / 3}) {
    const auto incomplete = read_response_head(bytes.substr(0, part));
    check(incomplete && !*incomplete);
  }
  for (const std::string_view method : {"GET", "HEAD"}) {
    const auto framing = framing_of(**head, method);
    if (framing && (*head)->status >= 200) check_answer(**head, *framing, method);
  }
  const std::string interim = interim_head(**head, (*head)->status == 101);
  const auto again = read_response_head(interim);
  check(again && *again && (*again)->size == interim.size());
}

// The body, or nothing where it is none; `used` bytes of the input are its.
std::optional<std::string> decode(std::string_view bytes, std::size_t step, std::size_t& used) {
  ChunkDecoder chunks;
  std::string body;
  for (used = 0; used < bytes.size() && !chunks.is_done();) {
    const auto piece = chunks.next(bytes.substr(used, step));
    if (!piece) return std::nullopt;
    check(piece->used > 0 && piece->data.size() <= piece->used);
    used += piece->used;
    body += piece->data;
  }
  return body;
}

void read_chunks(std::string_view bytes) {
  std::size_t whole = 0, cut = 0;
  const auto body = decode(bytes, bytes.size(), whole);
  const auto pieces = decode(bytes, 3, cut);
  check(body == pieces && (!body || whole == cut));
  if (!body) return;
  BodyRelay relay({.kind = BodyKind::kChunked, .length = 0}, true);
  std::string sent, space;
  for (std::size_t at = 0; at < bytes.size() && !relay.is_done();) {
    const auto step = relay.take(bytes.substr(at, 5), space);
    check(step && step->used > 0);
    at += step->used;
    sent += step->send;
  }
  std::size_t used = 0;
  check(decode(sent, sent.size(), used) == body && used == sent.size());
}

// What is said of the frames, in words that do not depend on where they were cut.
std::string follow(std::string bytes, std::size_t step, http::FrameReader::Role role, std::string* left = nullptr) {
  http::FrameReader reader(role);
  std::string seen;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const bool is_right = reader.feed(bytes.data() + at, std::min(step, bytes.size() - at),
                                      [&](http::Opcode opcode, std::string_view payload, bool is_end) {
                                        for (const char c : payload) seen.append({static_cast<char>(opcode), c});
                                        if (is_end) seen += "end";
                                      });
    if (!is_right) {
      seen += "wrong";
      break;
    }
  }
  if (left != nullptr) *left = std::move(bytes);
  return seen;
}

void read_frames(std::string_view bytes) {
  const std::string text(bytes);
  for (const auto role : {http::FrameReader::Role::kServer, http::FrameReader::Role::kOnlooker}) {
    const std::string whole = follow(text, text.size() + 1, role);
    check(whole == follow(text, 1, role) && whole == follow(text, 7, role));
  }
  std::string left;
  follow(text, 4, http::FrameReader::Role::kOnlooker, &left);
  check(left == text);
}

void read_cookies(std::string_view bytes) {
  const std::string left = without_our_cookies(bytes);
  check(without_our_cookies(left) == left);
  http::Request request;
  request.headers.add("Cookie", left);
  check(cookies_of(request, kLoginCookie).empty() && cookies_of(request, kProxyCookie).empty());
  const auto clean = clean_set_cookie(bytes);
  if (!clean) return;
  check(clean_set_cookie(*clean) == clean);
  request.headers = {};
  request.headers.add("Cookie", clean->substr(0, clean->find(';')));
  check(cookies_of(request, kLoginCookie).empty() && cookies_of(request, kProxyCookie).empty());
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

// Lines "Name: value", as our server lets them through.
http::Request request_of(std::string_view bytes) {
  http::Request request;
  request.method = "POST";
  request.peer = "192.0.2.1:4000";
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const std::string_view name = line.substr(0, line.find(':'));
    std::string value(line.substr(std::min(name.size() + 1, line.size())));
    std::erase_if(value, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
    if (is_name(name)) request.headers.add(std::string(name), value);
  }
  return request;
}

// Of one field in what goes to the program.
std::size_t count(std::string_view head, std::string_view name) {
  std::size_t found = 0;
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    found += head.size() > at + 2 + name.size() && head[at + 2 + name.size()] == ':' &&
                     is_same_name(head.substr(at + 2, name.size()), name)
                 ? 1U
                 : 0U;
  }
  return found;
}

void forward(std::string_view bytes) {
  const http::Request request = request_of(bytes);
  const std::string head = request_head(
      request, {.target = "/proxy/t/", .fallback_host = "10.0.0.7:80", .is_https = false, .has_our_token = true});
  check(head.starts_with("POST /proxy/t/ HTTP/1.1\r\n") && head.find("\r\n\r\n") == head.size() - 4);
  for (const std::string_view once : {"Host", "Connection", "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-Ip"}) {
    check(count(head, once) == 1);
  }
  for (const std::string_view never : {"Authorization", "Upgrade", "TE", "Proxy-Authorization", "Keep-Alive"}) {
    check(count(head, never) == 0);
  }
  check(count(head, "Cookie") <= 1 && count(head, "X-Forwarded-Host") <= 1);
  check(count(head, "Transfer-Encoding") + count(head, "Content-Length") <= 1 ||
        (request.headers.find("Transfer-Encoding") && request.headers.find("Content-Length")));
  const auto at = head.find("\r\nCookie: ");
  if (at == std::string::npos) return;
  const std::string cookies = head.substr(at + 10, head.find("\r\n", at + 2) - at - 10);
  check(without_our_cookies(cookies) == cookies);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 5) {
    case 0:
      read_answer(rest);
      break;
    case 1:
      read_chunks(rest);
      break;
    case 2:
      read_frames(rest);
      break;
    case 3:
      read_cookies(rest);
      break;
    default:
      forward(rest);
      break;
  }
  return 0;
}
