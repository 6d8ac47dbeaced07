// Whom det trusts that speaks TLS, and how somebody tells it to trust another.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "cli/login.h"
#include "cli/peer_certificate.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kCertificate =
    "-----BEGIN CERTIFICATE-----\n"
    "MIIBcDCCARWgAwIBAgIUWuja/GFjk2c5XFFh/d6K7BTuKp8wCgYIKoZIzj0EAwIw\n"
    "DDEKMAgGA1UEAwwBbTAgFw0yNjExMjcwNzI4MzVaGA8yMTI2MTEwMzA3MjgzNVow\n"
    "DDEKMAgGA1UEAwwBbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABEqB7ZOGECBL\n"
    "PfyWnaBUkLyabat0LM2bQaaj76KRLmV9JLjr1++ZMfqtSg0fL7W0aQ1fAADyXJkl\n"
    "QFQIC/CZ06OjUzBRMB0GA1UdDgQWBBTV6fzALLf2gqwqNOyLBNAQ4GqBJzAfBgNV\n"
    "HSMEGDAWgBTV6fzALLf2gqwqNOyLBNAQ4GqBJzAPBgNVHRMBAf8EBTADAQH/MAoG\n"
    "CCqGSM49BAMCA0kAMEYCIQDHAwYxE3y3Ix270nTCFvjDaAF6omUTB3hLl0P17Fk0\n"
    "UwIhAMmKetqLVSg361i1qNGOepxfnVV75BN6dqCa9ZMAdvzE\n"
    "-----END CERTIFICATE-----\n";
const std::string kKey =
    "-----BEGIN PRIVATE KEY-----\n"
    "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq6/7zOONYd4jPyRS\n"
    "3Q1TBJaY+/uRoe83+5bsW3uidiWhRANCAARKge2ThhAgSz38lp2gVJC8mm2rdCzN\n"
    "m0Gmo++ikS5lfSS469fvmTH6rUoNHy+1tGkNXwAA8lyZJUBUCAvwmdOj\n"
    "-----END PRIVATE KEY-----\n";
// As `openssl x509 -fingerprint -sha256` prints it.
const std::string kFingerprint =
    "28:91:e6:9a:4e:fc:69:93:61:e2:c7:c2:21:6b:2b:a6:be:d3:36:0a:7f:f4:ad:ce:8f:80:86:ec:40:26:27:e8";

struct Trust : CliTest {
  Trust() {
    out_is_terminal = true;
    fetch_certificates = [this](const std::string& url) {
      fetched.push_back(url);
      return kCertificate;
    };
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};
  }
  Outcome whoami() { return det({"-m", "https://H:1/", "user", "whoami"}); }
  void be_untrusted() {
    http.fail_with(ErrorCode::kPermissionDenied, "GET https://h:1/api/v1/me: self-signed certificate");
  }
  void be_trusted() { http.answer(200, {{"user", {{"username", "ann"}}}}); }
  [[nodiscard]] std::string stored() const { return folder.read(".config/determined/certs.json"); }
  void store(const std::string& pem) const {
    folder.write(".config/determined/certs.json", Json{{"https://h:1", pem}, {"https://other:443", "PEM"}}.dump());
  }
  [[nodiscard]] std::string used(std::size_t request) const { return http.requests().at(request).tls->ca_pem; }
  std::vector<std::string> fetched;
};

TEST_F(Trust, IsAskedForWithTheFingerprintAndKept) {
  be_untrusted();
  be_trusted();
  answers = {"Yes"};
  const Outcome done = whoami();
  EXPECT_EQ(done.code, kDone) << done.err;
  EXPECT_THAT(prompts, ElementsAre("The master sent an untrusted certificate chain with this SHA256 fingerprint:\n" +
                                   kFingerprint + "\nDo you want to trust this certificate from now on? [y/n]: "));
  EXPECT_THAT(fetched, ElementsAre("https://h:1"));
  EXPECT_EQ(used(1), kCertificate);
  EXPECT_EQ(Json::parse(stored()), (Json{{"https://h:1", kCertificate}}));
  be_trusted();
  EXPECT_EQ(whoami().code, kDone);
  EXPECT_EQ(used(2), kCertificate) << "from now on";
}

TEST_F(Trust, OfALoginIsAskedForOnceAndThePasswordToo) {
  variables.clear();
  answers = {"Abcdefg1", "y"};
  be_untrusted();
  log_in();
  EXPECT_EQ(det({"-m", "https://h:1", "user", "login", "ann"}).code, kDone);
  EXPECT_EQ(prompts.size(), 2U);
  EXPECT_EQ(sent(1), sent(0));
}

TEST_F(Trust, IsNotGivenWhereTheAnswerIsNo) {
  be_untrusted();
  answers = {"n"};
  const Outcome done = whoami();
  EXPECT_EQ(done.code, kFailed);
  EXPECT_THAT(done.err, HasSubstr("Unable to verify master certificate"));
  EXPECT_EQ(stored(), "");
  EXPECT_EQ(http.requests().size(), 1U);
}

TEST_F(Trust, IsAskedForOnceWhereItDoesNotHelp) {
  be_untrusted();
  be_untrusted();
  answers = {"y", "y"};
  EXPECT_THAT(whoami().err, HasSubstr("cannot trust the certificate of https://h:1"));
  EXPECT_EQ(prompts.size(), 1U);
}

TEST_F(Trust, IsNotAskedForAgainForTheSameCertificate) {
  store(kCertificate);
  be_untrusted();
  EXPECT_THAT(whoami().err, HasSubstr("cannot trust the certificate of https://h:1"));
  EXPECT_THAT(prompts, IsEmpty());
}

TEST_F(Trust, OfAnotherCertificateIsAWarningFirst) {
  store("OLD");
  be_untrusted();
  be_trusted();
  answers = {"y"};
  EXPECT_EQ(whoami().code, kDone);
  EXPECT_THAT(prompts, ElementsAre(HasSubstr("It is not the one that you trusted before")));
  EXPECT_EQ(Json::parse(stored()), (Json{{"https://h:1", kCertificate}, {"https://other:443", "PEM"}}));
}

TEST_F(Trust, IsNotAskedForWhereNobodyAnswersOrAFileIsNamed) {
  const auto expect_no_question = [this] {
    be_untrusted();
    EXPECT_THAT(whoami().err, HasSubstr("set DET_MASTER_CERT_FILE to a file with its certificate or CA"));
    EXPECT_THAT(prompts, IsEmpty());
  };
  in_is_terminal = false;
  expect_no_question();
  in_is_terminal = true;
  out_is_terminal = false;
  expect_no_question();
  out_is_terminal = true;
  variables["DET_MASTER_CERT_FILE"] = folder.write("ca.pem", "PEM");
  expect_no_question();
}

TEST_F(Trust, OfAnyoneIsSaidInAnyCase) {
  for (const char* word : {"noverify", "NoVerify", "NOVERIFY"}) {
    variables["DET_MASTER_CERT_FILE"] = word;
    be_trusted();
    EXPECT_EQ(whoami().code, kDone);
    EXPECT_FALSE(http.requests().back().tls->verify) << word;
  }
}

TEST_F(Trust, GoesOnWithoutAFileThatIsNotThere) {
  store("OLD");
  variables["DET_MASTER_CERT_FILE"] = "/none/ca.pem";
  be_trusted();
  const Outcome done = whoami();
  EXPECT_EQ(done.code, kDone);
  EXPECT_THAT(done.err, HasSubstr("Warning: DET_MASTER_CERT_FILE: there is no file '/none/ca.pem'"));
  EXPECT_EQ(used(0), "");
  EXPECT_TRUE(http.requests().back().tls->verify);
}

TEST(PeerCertificate, IsWhatTheServerSends) {
  asio::io_context io;
  asio::ssl::context context(asio::ssl::context::tls_server);
  context.use_certificate_chain(asio::buffer(kCertificate));
  context.use_private_key(asio::buffer(kKey), asio::ssl::context::pem);
  asio::ip::tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
  const auto serve = [&]() -> Task<void> {
    asio::ssl::stream<asio::ip::tcp::socket> socket(co_await acceptor.async_accept(asio::use_awaitable), context);
    co_await socket.async_handshake(asio::ssl::stream_base::server, asio::use_awaitable);
  };
  asio::co_spawn(io, serve(), asio::detached);
  const std::string url = "https://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port());
  const auto sent = test::run_task(io, fetch_certificates(url));
  ASSERT_TRUE(sent) << sent.error().message;
  EXPECT_EQ(*sent, kCertificate);
}

TEST(PeerCertificate, HasNoFingerprintWhereItIsNone) {
  EXPECT_EQ(fingerprint(kCertificate), kFingerprint);
  for (const char* text : {"", "PEM", "-----BEGIN CERTIFICATE-----", "-----BEGIN CERTIFICATE-----\n!\n-----END"}) {
    EXPECT_EQ(fingerprint(text), "") << text;
  }
}

}  // namespace
}  // namespace det::cli
