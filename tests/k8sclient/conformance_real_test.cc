// What only a real API server has: schemas, users and TLS.

#include <gtest/gtest.h>

#include "base/curl_transport.h"
#include "k8sclient/client.h"
#include "tests/support/api_under_test.h"
#include "tests/support/background.h"

namespace det::k8s {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ApiKind;
using test::ApiUnderTest;
using test::Background;

class RealServer : public testing::Test {
 protected:
  void SetUp() override {
    if (!ApiUnderTest::is_available(ApiKind::kReal)) GTEST_SKIP() << ApiUnderTest::kWhyNotAvailable;
    api.emplace(ApiKind::kReal);
    transport.emplace(api->io.get_executor());
  }
  Result<json> get_namespace(std::shared_ptr<Config> config) {
    Client other(*transport, *transport, std::move(config), api->clock, "det-conformance",
                 {.deadline = seconds(10), .first_backoff = milliseconds(100), .max_backoff = seconds(1)});
    return api->run(other.get(namespaces(), {.ns = {}, .name = api->ns}));
  }
  [[nodiscard]] TlsConfig without_identity() const {
    TlsConfig tls = *api->config->tls();
    tls.certificate_pem.clear();
    tls.key_pem.clear();
    return tls;
  }
  [[nodiscard]] std::shared_ptr<Config> config_with(TlsConfig tls, const std::string& token) {
    return Config::for_server(api->config->server(), token, std::make_shared<const TlsConfig>(std::move(tls)),
                              api->clock);
  }

  std::optional<ApiUnderTest> api;
  std::optional<CurlTransport> transport;
};

TEST_F(RealServer, NamesTheFieldOfAnInvalidObject) {
  json object = {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}, {"data", {{"bad/key", "x"}}}};
  const auto created = api->run(api->client.create(config_maps(), api->ns, std::move(object), {}));
  ASSERT_FALSE(created);
  EXPECT_EQ(created.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(created.error().field, "data[bad/key]");
}

TEST_F(RealServer, RefusesUnknownFieldsWhenAskedToBeStrict) {
  const json object = {
      {"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}, {"dat", {{"k", "x"}}}};
  WriteOptions strict;
  strict.strict_fields = true;
  const auto refused = api->run(api->client.create(config_maps(), api->ns, object, strict));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_TRUE(refused.error().message.contains("unknown field \"dat\"")) << refused.error().message;
  EXPECT_TRUE(api->run(api->client.create(config_maps(), api->ns, object, {})));
}

TEST_F(RealServer, TellsABadTokenFromAMissingOne) {
  const auto bad = get_namespace(config_with(without_identity(), "wrong"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code, ErrorCode::kUnauthenticated);
  const auto anonymous = get_namespace(config_with(without_identity(), ""));
  ASSERT_FALSE(anonymous);
  EXPECT_EQ(anonymous.error().code, ErrorCode::kPermissionDenied);
}

TEST_F(RealServer, IsNotTrustedWithoutItsAuthority) {
  TlsConfig tls = *api->config->tls();
  tls.ca_pem.clear();
  const auto got = get_namespace(config_with(tls, api->config->bearer_token()));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kPermissionDenied) << got.error().message;
  tls.verify = false;
  EXPECT_TRUE(get_namespace(config_with(tls, api->config->bearer_token())));
}

TEST_F(RealServer, IsCheckedAgainstTheNameThatIsConfigured) {
  TlsConfig tls = *api->config->tls();
  tls.server_name = "kubernetes.default.svc";
  const auto right = get_namespace(config_with(tls, api->config->bearer_token()));
  EXPECT_TRUE(right) << right.error().message;
  tls.server_name = "somebody.else";
  const auto wrong = get_namespace(config_with(tls, api->config->bearer_token()));
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, ErrorCode::kPermissionDenied) << wrong.error().message;
}

TEST_F(RealServer, ServesManyCallsAtOnce) {
  int done = 0;
  const auto call = [&](int i) -> Task<void> {
    json object = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "m" + std::to_string(i)}}}};
    const auto created = co_await api->client.create(config_maps(), api->ns, std::move(object), {});
    EXPECT_TRUE(created) << created.error().message;
    ++done;
  };
  Background many(api->io);
  for (int i = 0; i < 300; ++i) many.start(call(i));
  EXPECT_TRUE(api->eventually([&] { return done == 300; }));
  ListOptions options;
  options.ns = api->ns;
  options.limit = 50;
  const auto listed = api->run(api->client.list(config_maps(), options));
  ASSERT_TRUE(listed);
  EXPECT_GE(listed->items.size(), 300U);
}

}  // namespace
}  // namespace det::k8s
