#include "http/response_head.h"

#include <array>
#include <charconv>

namespace det::http {

std::string_view reason_phrase(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Payload Too Large";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 422:
      return "Unprocessable Entity";
    case 421:
      return "Misdirected Request";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Status";
  }
}

std::string response_head(const Response& response, Framing framing, bool keep_alive) {
  std::string head;
  head.reserve(256);
  head.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  head.append(reason_phrase(response.status)).append("\r\n");
  for (const auto& [name, value] : response.headers.fields()) {
    constexpr std::string_view kBreaks("\r\n\0", 3);
    if (name.find_first_of(kBreaks) != std::string::npos || value.find_first_of(kBreaks) != std::string::npos) continue;
    head.append(name).append(": ").append(value).append("\r\n");
  }
  switch (framing) {
    case Framing::kLength:
      if (response.status == 204 || response.status == 304) break;  // they never have a body (RFC 9110, 8.6)
      head.append("Content-Length: ").append(std::to_string(response.body.size())).append("\r\n");
      break;
    case Framing::kChunked:
      head.append("Transfer-Encoding: chunked\r\n");
      break;
    case Framing::kUntilClose:
      break;
  }
  head.append(keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n");
  return head;
}

std::string chunk_head(std::size_t bytes) {
  std::array<char, 20> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), bytes, 16).ptr;
  return std::string(digits.data(), end).append("\r\n");
}

}  // namespace det::http
