#include "k8sclient/config.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "k8sclient/kubeconfig.h"
#include "tests/support/fake_clock.h"

namespace det::k8s {
namespace {

constexpr const char* kTwoContexts = R"(
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: c
  cluster: {server: "https://host:6443/", certificate-authority-data: Q0E=, tls-server-name: api}
- {name: plain, cluster: {server: "http://127.0.0.1:8001"}}
users:
- name: u
  user: {client-certificate-data: Q0VSVA==, client-key-data: S0VZ}
- {name: t, user: {token: secret}}
contexts:
- {name: one, context: {cluster: c, user: u, namespace: research}}
- {name: two, context: {cluster: plain, user: t}}
- {name: anonymous, context: {cluster: plain}}
)";

class ConfigTest : public testing::Test {
 protected:
  ConfigTest() {
    std::string pattern = testing::TempDir() + "det-config-XXXXXX";
    folder = mkdtemp(pattern.data());
  }
  ~ConfigTest() override { std::filesystem::remove_all(folder); }

  std::string write(const std::string& name, const std::string& text) const {
    const std::string path = folder + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  static std::string with_user(const std::string& user) {
    return "{current-context: x, clusters: [{name: c, cluster: {server: 'https://h'}}], users: [{name: u, user: " +
           user + "}], contexts: [{name: x, context: {cluster: c, user: u}}]}";
  }

  asio::io_context io;
  test::FakeClock clock{io};
  std::string folder;
};

TEST_F(ConfigTest, ReadsTheCurrentContextWithInlineData) {
  const auto read = read_kubeconfig(kTwoContexts, "", folder);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->server, "https://host:6443");
  EXPECT_EQ(read->ns, "research");
  EXPECT_EQ(read->tls.ca_pem, "CA");
  EXPECT_EQ(read->tls.certificate_pem, "CERT");
  EXPECT_EQ(read->tls.key_pem, "KEY");
  EXPECT_EQ(read->tls.server_name, "api");
  EXPECT_TRUE(read->tls.verify);
}

TEST_F(ConfigTest, ReadsANamedContext) {
  const auto read = read_kubeconfig(kTwoContexts, "two", folder);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->server, "http://127.0.0.1:8001");
  EXPECT_EQ(read->ns, "default");
  EXPECT_EQ(read->token, "secret");
  EXPECT_TRUE(read_kubeconfig(kTwoContexts, "anonymous", folder));
}

TEST_F(ConfigTest, SaysWhichContextsThereAre) {
  const auto read = read_kubeconfig(kTwoContexts, "three", folder);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "contexts: there is no \"three\"; there is: one, two, anonymous");
}

TEST_F(ConfigTest, FindsFilesNextToTheKubeconfig) {
  write("ca.pem", "THE CA");
  write("token", "from-file\n");
  const std::string text =
      "{current-context: x, clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: ca.pem}}], "
      "users: [{name: u, user: {tokenFile: token}}], contexts: [{name: x, context: {cluster: c, user: u}}]}";
  const auto config = Config::from_kubeconfig(write("config", text), "", clock);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ((*config)->tls()->ca_pem, "THE CA");
  EXPECT_EQ((*config)->bearer_token(), "from-file");
}

TEST_F(ConfigTest, ReadsATokenFileAgainAfterAMinute) {
  write("token", "old");
  const auto config = Config::from_kubeconfig(write("config", with_user("{tokenFile: token}")), "", clock);
  ASSERT_TRUE(config) << config.error().message;
  write("token", "new");
  clock.advance(std::chrono::seconds(59));
  EXPECT_EQ((*config)->bearer_token(), "old");
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ((*config)->bearer_token(), "new");
  std::filesystem::remove(folder + "/token");
  clock.advance(std::chrono::minutes(2));
  EXPECT_EQ((*config)->bearer_token(), "new");
}

TEST_F(ConfigTest, RefusesWhatItCannotDoAndSaysWhatToUse) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{exec: {command: aws}}", "exec is not supported here: use a token"},
      {"{auth-provider: {name: gcp}}", "auth-provider is not supported here: use a token"},
      {"{username: a, password: b}", "username is not supported here: API servers dropped passwords"},
      {"{token: a, as: someone}", "as is not supported here: give the user its rights"},
  };
  for (const auto& [user, text] : cases) {
    const auto read = read_kubeconfig(with_user(user), "", folder);
    ASSERT_FALSE(read) << user;
    EXPECT_EQ(read.error().code, ErrorCode::kUnimplemented);
    EXPECT_TRUE(read.error().message.starts_with(text)) << read.error().message;
  }
}

TEST_F(ConfigTest, NamesTheFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {with_user("{client-certificate-data: Q0VSVA==}"), "client-key: is missing"},
      {with_user("{client-certificate-data: '%%%'}"), "client-certificate-data: is not base64"},
      {with_user("{client-certificate: nowhere.pem}"), "client-certificate: cannot read " + folder + "/nowhere.pem"},
      {"{}", "current-context: is not set"},
      {"[1, 2]", "is not a kubeconfig"},
      {"{current-context: x, clusters: [{name: c, cluster: {server: 'host:6443'}}], "
       "contexts: [{name: x, context: {cluster: c}}]}",
       "server: expected https://HOST:PORT, but got \"host:6443\""},
      {"{current-context: x, contexts: [{name: x, context: {cluster: c}}]}", "clusters: there is no \"c\""},
  };
  for (const auto& [text, message] : cases) {
    const auto read = read_kubeconfig(text, "", folder);
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message.starts_with(message)) << read.error().message;
  }
}

TEST_F(ConfigTest, NamesTheFileThatIsMissing) {
  const auto config = Config::from_kubeconfig(folder + "/none", "", clock);
  ASSERT_FALSE(config);
  EXPECT_TRUE(config.error().message.starts_with("kubeconfig: cannot read " + folder + "/none: "))
      << config.error().message;
}

TEST_F(ConfigTest, ReadsTheServiceAccountInsideAPod) {
  write("token", "pod-token\n");
  write("ca.crt", "POD CA");
  write("namespace", "jobs\n");
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  const auto outside = Config::in_cluster(clock, folder);
  ASSERT_FALSE(outside);
  EXPECT_TRUE(outside.error().message.contains("--kubeconfig")) << outside.error().message;
  setenv("KUBERNETES_SERVICE_HOST", "fd00::1", 1);
  setenv("KUBERNETES_SERVICE_PORT", "443", 1);
  const auto inside = Config::in_cluster(clock, folder);
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(inside) << inside.error().message;
  EXPECT_EQ((*inside)->server(), "https://[fd00::1]:443");
  EXPECT_EQ((*inside)->default_namespace(), "jobs");
  EXPECT_EQ((*inside)->tls()->ca_pem, "POD CA");
  EXPECT_EQ((*inside)->bearer_token(), "pod-token");
  write("ca.crt", "ROTATED CA");
  EXPECT_EQ((*inside)->tls()->ca_pem, "POD CA");
  clock.advance(std::chrono::minutes(1));
  EXPECT_EQ((*inside)->tls()->ca_pem, "ROTATED CA");
  write("ca.crt", "");
  clock.advance(std::chrono::minutes(1));
  EXPECT_EQ((*inside)->tls()->ca_pem, "ROTATED CA");
}

}  // namespace
}  // namespace det::k8s
