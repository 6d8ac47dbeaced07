#include "api/webhooks/webhook_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"

namespace det::api {
namespace {

using testing::HasSubstr;

constexpr WallTime kAt{std::chrono::seconds(1'700'000'000)};

TEST(WebhookRequest, IsSignedAndGoesNowhereInside) {
  const HttpRequest request = webhook_request("https://example.com/x", "{}", kAt, {.signing_key = "key"});
  EXPECT_EQ(request.headers[0],
            (std::pair<std::string, std::string>("X-Determined-AI-Signature-Timestamp", "1700000000")));
  EXPECT_EQ(request.headers[1].first, "X-Determined-AI-Signature");
  EXPECT_EQ(request.headers[1].second, hmac_sha256_hex("key", "1700000000,{}"));
  EXPECT_FALSE(request.may_connect("169.254.169.254"));
  EXPECT_FALSE(request.may_connect("10.0.0.7"));
  EXPECT_TRUE(request.may_connect("140.82.112.3"));
  const model::WebhookConfig config{.allowed_networks = {IpNetwork::parse("10.0.0.0/24").value()}};
  EXPECT_TRUE(webhook_request("http://x", "{}", kAt, config).may_connect("10.0.0.7"));
  EXPECT_FALSE(webhook_request("http://x", "{}", kAt, config).may_connect("10.0.1.7"));
}

TEST(WebhookTrouble, NamesNoUrl) {
  const Result<HttpResponse> lost = fail(ErrorCode::kUnavailable, "POST https://x:443/secret: Connection refused");
  EXPECT_EQ(webhook_trouble(lost), "Connection refused");
  EXPECT_EQ(webhook_trouble(HttpResponse{.status = 204}), "");
  EXPECT_EQ(webhook_trouble(HttpResponse{.status = 500}), "the receiver answered 500");
  EXPECT_THAT(webhook_trouble(HttpResponse{.status = 302}), HasSubstr("redirects are not followed"));
}

}  // namespace
}  // namespace det::api
