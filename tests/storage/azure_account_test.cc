#include "storage/azure_account.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace det::storage {
namespace {

using nlohmann::json;

const std::string kKey = "YSBrZXkgb2YgNjQgYnl0ZXMsIGFzIHRob3NlIG9mIHN0b3JhZ2UgYWNjb3VudHMgYXJlOiAwMTIzNDU2Nzg5YWI=";

Result<AzureAccount> connected(const std::string& text) {
  return read_azure_account({{"connection_string", text}});
}

TEST(AzureAccount, IsReadFromAConnectionString) {
  const auto plain = connected("DefaultEndpointsProtocol=https;AccountName=ours;AccountKey=" + kKey +
                               ";EndpointSuffix=core.windows.net");
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->url, "https://ours.blob.core.windows.net");
  EXPECT_EQ(plain->name, "ours");
  EXPECT_TRUE(plain->key.starts_with("a key of 64 bytes"));
  const auto elsewhere = connected("AccountName=dev;AccountKey=" + kKey + ";BlobEndpoint=http://127.0.0.1:10000/dev;");
  EXPECT_EQ(elsewhere.value().url, "http://127.0.0.1:10000/dev");
  const auto with_sas =
      connected("BlobEndpoint=https://ours.blob.core.windows.net/;SharedAccessSignature=sv=1&sig=a%3D");
  EXPECT_EQ(with_sas.value().sas, "sv=1&sig=a%3D");
  EXPECT_TRUE(with_sas->key.empty());
  EXPECT_EQ(connected("UseDevelopmentStorage=true").value().url, "http://127.0.0.1:10000/devstoreaccount1");
}

TEST(AzureAccount, IsReadFromItsAddressAndACredential) {
  const auto of = [](const std::string& url, const std::string& credential) {
    return read_azure_account({{"account_url", url}, {"credential", credential}});
  };
  EXPECT_EQ(of("ours.blob.core.windows.net", kKey).value().url, "https://ours.blob.core.windows.net");
  EXPECT_EQ(of("https://ours.blob.core.windows.net/", kKey).value().name, "ours");
  EXPECT_EQ(of("https://ours.blob.core.windows.net", "?sv=1&sig=x").value().sas, "sv=1&sig=x");
  EXPECT_EQ(of("https://ours.blob.core.windows.net?sv=1&sig=x", "").value().sas, "sv=1&sig=x");
  EXPECT_EQ(of("http://127.0.0.1:10000/dev", kKey).value().name, "dev");
  EXPECT_FALSE(of("https://blob.example.com", kKey)) << "whose key is it?";
}

// No part of a user's text may lead elsewhere, and no secret into an error.
TEST(AzureAccount, RefusesWhatItCannotRead) {
  for (const char* text :
       {"x", "AccountKey=eA==", "AccountName=a/b;AccountKey=eA==", "AccountName=a;AccountKey=%%secret",
        "BlobEndpoint=ftp://a;SharedAccessSignature=sig=1", "BlobEndpoint=https://u@a", "BlobEndpoint=https://a/../b",
        "BlobEndpoint=https://a#b", "AccountName=a;EndpointSuffix=/x",
        "BlobEndpoint=https://a;SharedAccessSignature=secret\r\nx: y"}) {
    const auto account = connected(text);
    ASSERT_FALSE(account) << text;
    EXPECT_EQ(account.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_EQ(account.error().message.find("secret"), std::string::npos) << account.error().message;
  }
}

TEST(AzureAccount, KnowsAzuresOwnAddresses) {
  for (const char* url : {"https://ours.blob.core.windows.net", "https://ours.blob.core.chinacloudapi.cn",
                          "https://ours.z01.blob.storage.azure.net"}) {
    EXPECT_TRUE(is_azures_own(url)) << url;
  }
  for (const char* url : {"http://ours.blob.core.windows.net", "https://ours.blob.core.windows.net.example.com",
                          "https://ours.blob.core.windows.net:8443", "https://.blob.core.windows.net/x",
                          "https://blob.core.windows.net", "https://169.254.169.254",
                          "https://a@b.blob.core.windows.net", "https://evil.example/.blob.core.windows.net"}) {
    EXPECT_FALSE(is_azures_own(url)) << url;
  }
}

// As azure-storage-blob 12.31.1 signs the same requests.
TEST(AzureAccount, SignsAsAzuresOwnClientDoes) {
  const WallTime now = *parse_rfc3339("2015-06-26T23:39:12Z");
  const auto signature = [&](const AzureRequest& request, const std::string& name) {
    const AzureAccount account{.name = name,
                               .key = "a key of 64 bytes, as those of storage accounts are: 0123456789ab"};
    const HttpHeaders headers = sign_azure_request(request, account, now);
    const auto found = std::ranges::find(headers, "authorization", &std::pair<std::string, std::string>::first);
    return found == headers.end() ? "" : found->second;
  };
  EXPECT_EQ(signature({.path = "/mycontainer",
                       .query = {{"restype", "container"}, {"comp", "list"}, {"prefix", "a/b c"}},
                       .headers = {}},
                      "myaccount"),
            "SharedKey myaccount:3jgBZ/FLfJzNiv9EaWbGyPKEuzpwJutvBdKEKdbGMX8=");
  EXPECT_EQ(signature({.path = "/devstoreaccount1/c/m%20o.pt",
                       .query = {},
                       .headers = {{"x-ms-range", "bytes=0-9"}, {"if-match", "\"0x8D\""}}},
                      "devstoreaccount1"),
            "SharedKey devstoreaccount1:HttxC9UEsl2S8pP3rseKk23pAzBDaKJNUErBKTtVY+s=");
}

// The example of Azure's documentation, "Authorize with Shared Key".
TEST(AzureAccount, SignsTheTextOfTheDocumentation) {
  const AzureRequest request{
      .path = "/mycontainer",
      .query = {{"restype", "container"}, {"comp", "metadata"}, {"timeout", "20"}},
      .headers = {{"x-ms-version", "2015-02-21"}, {"x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT"}}};
  EXPECT_EQ(azure_text_to_sign(request, "myaccount"),
            "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
            "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
}

TEST(AzureAccount, SignsNothingWithoutAKey) {
  const HttpHeaders headers = sign_azure_request({}, {.sas = "sig=x"}, *parse_rfc3339("2026-01-01T00:00:00Z"));
  const HttpHeaders wanted = {{"x-ms-date", "Thu, 01 Jan 2026 00:00:00 GMT"}, {"x-ms-version", "2021-12-02"}};
  EXPECT_EQ(headers, wanted);
}

}  // namespace
}  // namespace det::storage
