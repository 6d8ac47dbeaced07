#include "storage/gcs_identity.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <nlohmann/json.hpp>

#include "base/jws.h"
#include "storage/url_text.h"
#include "tests/support/fake_transport.h"
#include "tests/support/run_task.h"

namespace det::storage {
namespace {

using nlohmann::json;
using testing::HasSubstr;

std::string new_key() {
  const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(EVP_RSA_gen(2048), &EVP_PKEY_free);
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

json service_account() {
  return {{"type", "service_account"},
          {"client_email", "reader@ours.iam.gserviceaccount.com"},
          {"private_key_id", "k1"},
          {"private_key", new_key()},
          {"token_uri", "https://oauth2.googleapis.com/token"}};
}

// A clock whose steady time the test moves.
struct MovedClock : Clock {
  [[nodiscard]] SteadyTime steady_now() const override { return now; }
  [[nodiscard]] WallTime wall_now() const override { return WallTime(std::chrono::seconds(1'800'000'000)); }
  Task<void> sleep_for(std::chrono::nanoseconds) override { co_return; }
  SteadyTime now = SteadyTime(std::chrono::hours(1));
};

struct GcsIdentityTest : testing::Test {
  GcsIdentityTest() { EXPECT_NE(::mkdtemp(folder.data()), nullptr); }
  ~GcsIdentityTest() override {
    workers.join();
    std::filesystem::remove_all(folder);
  }
  std::string file(const json& content) {
    const std::string path = folder + "/credentials.json";
    std::ofstream(path) << content.dump();
    return path;
  }
  Result<std::string> authorization(GcsIdentity& identity) { return test::run_task(io, identity.authorization()); }

  std::string folder = "/tmp/gcs-identity-XXXXXX";
  asio::io_context io;
  MovedClock clock;
  test::FakeTransport transport{io.get_executor(), clock};
  boost::asio::thread_pool workers{1};
};

TEST_F(GcsIdentityTest, SignsForItsServiceAccountAndKeepsTheToken) {
  GcsIdentity identity(transport, clock, workers, {.credentials_file = file(service_account())});
  transport.answer(200, {{"access_token", "t1"}, {"expires_in", 3599}});
  EXPECT_EQ(authorization(identity).value(), "Bearer t1");
  EXPECT_EQ(authorization(identity).value(), "Bearer t1");
  ASSERT_EQ(transport.asked().size(), 1U);
  const HttpRequest& asked = transport.requests().at(0);
  EXPECT_EQ(asked.url, "https://oauth2.googleapis.com/token");
  EXPECT_EQ(asked.method, "POST");
  constexpr std::string_view kBefore = "assertion=";
  ASSERT_TRUE(asked.body.starts_with(kBefore));
  const auto end = asked.body.find('&');
  EXPECT_EQ(asked.body.substr(end), "&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer");
  const auto jws = parse_jws(asked.body.substr(kBefore.size(), end - kBefore.size()));
  ASSERT_TRUE(jws) << jws.error().message;
  const json claims = json::parse(jws->payload);
  EXPECT_EQ(claims, (json{{"iss", "reader@ours.iam.gserviceaccount.com"},
                          {"scope", "https://www.googleapis.com/auth/devstorage.read_only"},
                          {"aud", "https://oauth2.googleapis.com/token"},
                          {"iat", 1'800'000'000},
                          {"exp", 1'800'003'600}}));
  clock.now += std::chrono::minutes(58);
  transport.answer(200, {{"access_token", "t2"}, {"expires_in", 3599}});
  EXPECT_EQ(authorization(identity).value(), "Bearer t2") << "before the first one ends";
}

TEST_F(GcsIdentityTest, AsksTheMetadataServerWithoutAFile) {
  GcsIdentity identity(transport, clock, workers, {.usual_file = folder + "/missing"});
  transport.answer(200, {{"access_token", "t"}, {"expires_in", 3599}});
  EXPECT_EQ(authorization(identity).value(), "Bearer t");
  const HttpRequest& asked = transport.requests().at(0);
  EXPECT_EQ(asked.url, "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token");
  EXPECT_EQ(asked.headers, (HttpHeaders{{"metadata-flavor", "Google"}}));
  EXPECT_TRUE(asked.may_connect) << "without a proxy";
}

TEST_F(GcsIdentityTest, TakesALoginOfGcloud) {
  const json login = {{"type", "authorized_user"}, {"client_id", "i"}, {"client_secret", "s"}, {"refresh_token", "r"}};
  GcsIdentity identity(transport, clock, workers, {.usual_file = file(login)});
  transport.answer(200, {{"access_token", "t"}, {"expires_in", 3599}});
  EXPECT_EQ(authorization(identity).value(), "Bearer t");
  EXPECT_EQ(transport.requests().at(0).body, "client_id=i&client_secret=s&grant_type=refresh_token&refresh_token=r");
}

TEST_F(GcsIdentityTest, SaysWhatToDoWithoutCredentials) {
  GcsIdentity nobody(transport, clock, workers, {});
  transport.fail_with(ErrorCode::kUnavailable, "GET http://metadata.google.internal: name not found");
  const auto none = authorization(nobody);
  EXPECT_EQ(none.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(none.error().message, HasSubstr("a service account's file in GOOGLE_APPLICATION_CREDENTIALS"));
  GcsIdentity missing(transport, clock, workers, {.credentials_file = folder + "/missing"});
  EXPECT_THAT(authorization(missing).error().message, HasSubstr("GOOGLE_APPLICATION_CREDENTIALS: cannot read"));
  GcsIdentity odd(transport, clock, workers, {.credentials_file = file({{"type", "external_account"}})});
  EXPECT_THAT(authorization(odd).error().message, HasSubstr("type 'external_account' do not work here"));
  GcsIdentity refused(transport, clock, workers, {.credentials_file = file(service_account())});
  transport.answer(400, {{"error", "invalid_grant"}, {"error_description", "Invalid JWT Signature."}});
  EXPECT_THAT(authorization(refused).error().message,
              HasSubstr("the answer is 400, Invalid JWT Signature.; give this"));
}

TEST(GcsSettings, AreThoseOfGooglesClients) {
  std::map<std::string, std::string> variables;
  const auto settings = [&] {
    return gcs_settings([&](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
    });
  };
  EXPECT_EQ(settings().metadata_host, "metadata.google.internal");
  EXPECT_EQ(settings().usual_file, "");
  variables = {{"HOME", "/home/ann"}, {"STORAGE_EMULATOR_HOST", "127.0.0.1:4443"}, {"GCE_METADATA_HOST", "m:1"}};
  EXPECT_EQ(settings().usual_file, "/home/ann/.config/gcloud/application_default_credentials.json");
  EXPECT_EQ(settings().emulator, "http://127.0.0.1:4443");
  EXPECT_EQ(settings().metadata_host, "m:1");
  variables["STORAGE_EMULATOR_HOST"] = "https://emulator/";
  variables["CLOUDSDK_CONFIG"] = "/c";
  EXPECT_EQ(settings().emulator, "https://emulator");
  EXPECT_EQ(settings().usual_file, "/c/application_default_credentials.json");
}

}  // namespace
}  // namespace det::storage
