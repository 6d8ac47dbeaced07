#include "http/refusals.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <nlohmann/json.hpp>

#include "base/result.h"

namespace det::http {

namespace bhttp = boost::beast::http;

namespace {

// Of 18 digits no 64 bits overflow. More of them, zeros in front, are the same number to some and none to others, the
// proxy (proxy/response_head.h) among them.
constexpr std::size_t kMostDigits = 18;

bool is_number(boost::beast::string_view text) {
  return !text.empty() && text.size() <= kMostDigits &&
         std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Of the statuses that are refused with here.
ErrorCode code_of(int status) {
  switch (status) {
    case 413:
    case 429:
      return ErrorCode::kResourceExhausted;
    case 500:
      return ErrorCode::kInternal;
    case 503:
      return ErrorCode::kUnavailable;
    default:
      return ErrorCode::kInvalidArgument;
  }
}

}  // namespace

// Clients of the API read error.error, all others message: what is refused here has no route yet.
Response refusal(int status, std::string message) {
  const ErrorCode code = code_of(status);
  const nlohmann::json body = {
      {"error", {{"code", static_cast<int>(code)}, {"error", message}, {"reason", to_string(code)}}},
      {"message", message}};
  return Response::json(body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), status);
}

Response refusal_of(const boost::system::error_code& ec, std::size_t head_limit) {
  if (ec == bhttp::error::header_limit) {
    return refusal(431, "the request's headers exceed " + std::to_string(head_limit) + " bytes");
  }
  return refusal(400, "malformed HTTP request: " + ec.message());
}

Response too_large(std::size_t limit) {
  return refusal(413, "the request's body exceeds the limit of " + std::to_string(limit) + " bytes");
}

Response internal_error() {
  return refusal(500, "internal error; the server's log has the reason");
}

// Beast has closed the socket when it says timeout.
bool is_lost_connection(const boost::system::error_code& ec) {
  namespace error = boost::asio::error;
  return ec == boost::beast::error::timeout || ec == bhttp::error::end_of_stream ||
         ec == bhttp::error::partial_message || ec == error::eof || ec == error::connection_reset ||
         ec == error::broken_pipe || ec == error::operation_aborted || ec == error::bad_descriptor ||
         ec == error::connection_aborted || ec == boost::asio::ssl::error::stream_truncated;
}

const char* framing_mistake(const bhttp::request_header<>& head) {
  const auto codings = head.equal_range(bhttp::field::transfer_encoding);
  const auto lengths = head.equal_range(bhttp::field::content_length);
  if (std::distance(lengths.first, lengths.second) > 1) return "more than one Content-Length";
  // "4,4" is one number to some and none to others.
  if (lengths.first != lengths.second && !is_number(lengths.first->value()))
    return "a Content-Length that is no number of at most 18 digits";
  if (codings.first == codings.second) return nullptr;
  if (std::next(codings.first) != codings.second) return "more than one Transfer-Encoding";
  if (!boost::beast::iequals(codings.first->value(), "chunked")) return "a Transfer-Encoding other than chunked";
  if (lengths.first != lengths.second) return "both Content-Length and Transfer-Encoding";
  if (head.version() < 11) return "Transfer-Encoding in HTTP/1.0";
  return nullptr;
}

}  // namespace det::http
