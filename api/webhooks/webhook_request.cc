#include "api/webhooks/webhook_request.h"

#include <chrono>
#include <utility>

#include "base/encoding.h"

namespace det::api {

namespace {

constexpr std::chrono::seconds kLongestSend{10};
constexpr std::size_t kLongestAnswer = std::size_t{64} << 10;

}  // namespace

HttpRequest webhook_request(std::string url, std::string message, WallTime now, const model::WebhookConfig& config) {
  const std::string seconds =
      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count());
  HttpRequest request;
  request.method = "POST";
  request.url = std::move(url);
  request.headers = {
      {"X-Determined-AI-Signature-Timestamp", seconds},
      {"X-Determined-AI-Signature", hmac_sha256_hex(config.signing_key, seconds + "," + message)},
      {"Content-Type", "application/json; charset=UTF-8"},
  };
  request.body = std::move(message);
  request.timeout = kLongestSend;
  request.may_connect = [config](const std::string& address) { return config.may_connect(address); };
  request.max_answer = kLongestAnswer;
  return request;
}

std::string webhook_trouble(const Result<HttpResponse>& answer) {
  if (!answer) {
    // base/curl_transfer.cc puts "METHOD URL: " in front.
    const std::string& message = answer.error().message;
    const auto after = message.find(": ");
    return after == std::string::npos ? message : message.substr(after + 2);
  }
  if (answer->status < 300) return {};
  const std::string said = "the receiver answered " + std::to_string(answer->status);
  if (answer->status >= 400) return said;
  return said + ", and redirects are not followed: name the URL that it leads to";
}

}  // namespace det::api
