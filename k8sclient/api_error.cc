#include "k8sclient/api_error.h"

#include <charconv>
#include <chrono>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"

namespace det::k8s {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxPlainText = 300;
constexpr int kMaxRetryAfterSeconds = 3600;

ErrorCode code_of(int status, std::string_view reason) {
  switch (status) {
    case 400:
    case 406:
    case 413:
    case 415:
    case 422:
      return ErrorCode::kInvalidArgument;
    case 401:
      return ErrorCode::kUnauthenticated;
    case 403:
      return ErrorCode::kPermissionDenied;
    case 404:
      return ErrorCode::kNotFound;
    case 405:
    case 501:
      return ErrorCode::kUnimplemented;
    case 408:
    case 504:
      return ErrorCode::kDeadlineExceeded;
    case 409:
      return reason == "AlreadyExists" ? ErrorCode::kAlreadyExists : ErrorCode::kAborted;
    case 410:
      return ErrorCode::kOutOfRange;
    case 429:
      return ErrorCode::kResourceExhausted;
    default:
      return status >= 500 ? ErrorCode::kUnavailable : ErrorCode::kUnknown;
  }
}

// Seconds only: the API server never sends a date.
std::optional<std::chrono::milliseconds> retry_after(const HttpResponse& response) {
  const auto text = response.header("retry-after");
  if (!text) return std::nullopt;
  int seconds = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  if (seconds < 0 || seconds > kMaxRetryAfterSeconds) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string plain_text(const HttpResponse& response) {
  std::string text = "HTTP " + std::to_string(response.status);
  std::string_view body = response.body;
  while (!body.empty() && (body.back() == '\n' || body.back() == '\r' || body.back() == ' ')) body.remove_suffix(1);
  if (body.empty() || !is_valid_utf8(body) || body.starts_with('<')) return text;
  if (body.size() <= kMaxPlainText) return text.append(": ").append(body);
  std::size_t cut = kMaxPlainText;
  while (cut > 0 && (static_cast<unsigned char>(body[cut]) & 0xC0U) == 0x80U) --cut;
  return text.append(": ").append(body.substr(0, cut)).append("...");
}

// What a policy of the cluster refuses may be allowed tomorrow, other than what is no valid object. Only some policy
// engines answer with 403: a ValidatingAdmissionPolicy without a reason with 422, a webhook without a code with 400.
bool is_denied_by_policy(std::string_view message) {
  return (message.starts_with("admission webhook \"") && message.contains("\" denied the request")) ||
         message.contains(" is forbidden: ValidatingAdmissionPolicy '");
}

Error error_from(int http_status, const json& status) {
  Error error;
  error.code = code_of(http_status, get_string(status, "reason"));
  error.message = get_string(status, "message");
  if (error.code == ErrorCode::kInvalidArgument && is_denied_by_policy(error.message)) {
    error.code = ErrorCode::kPermissionDenied;
  }
  const json& details = get_object(status, "details");
  const json& causes = get_array(details, "causes");
  if (!causes.empty()) error.field = get_string(causes.front(), "field");
  const auto seconds = get_integer(details, "retryAfterSeconds");
  if (seconds > 0 && seconds <= kMaxRetryAfterSeconds) error.retry_after = std::chrono::seconds(seconds);
  return error;
}

}  // namespace

Error error_of_status(const json& status) {
  Error error = error_from(static_cast<int>(get_integer(status, "code")), status);
  if (error.message.empty()) error.message = "the server ended the watch without saying why";
  return error;
}

Error error_of_response(const HttpResponse& response) {
  const json status = json::parse(response.body, nullptr, false);
  Error error = error_from(response.status, status);
  if (error.message.empty()) error.message = plain_text(response);
  if (const auto wait = retry_after(response)) error.retry_after = wait;
  return error;
}

// The server's storage and the layer above it word it differently.
bool is_of_another_uid(const Error& error) {
  return error.code == ErrorCode::kAborted &&
         (error.message.contains("UID in precondition") || error.message.contains("UID in the precondition"));
}

}  // namespace det::k8s
