#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/asio/ssl.hpp>

#include "http/server.h"
#include "http/takeover.h"
#include "tests/http/certificate.h"
#include "tests/http/raw_client.h"

namespace det::http {
namespace {

using testing::EndsWith;

// One request over TLS that trusts `certificate`; what came back. `end`: how the connection ended.
std::string ask(std::uint16_t port, const Certificate& certificate, bool with_certificate, const std::string& request,
                boost::system::error_code* end = nullptr) {
  asio::io_context io;
  asio::ssl::context context(asio::ssl::context::tls_client);
  context.load_verify_file(certificate.files().certificate_file);
  if (with_certificate) {
    context.use_certificate_chain_file(certificate.files().certificate_file);
    context.use_private_key_file(certificate.files().key_file, asio::ssl::context::pem);
  }
  asio::ssl::stream<asio::ip::tcp::socket> stream(io, context);
  stream.set_verify_mode(asio::ssl::verify_peer);
  stream.set_verify_callback(asio::ssl::host_name_verification("localhost"));
  stream.next_layer().connect({asio::ip::make_address("127.0.0.1"), port});
  boost::system::error_code ec;
  stream.handshake(asio::ssl::stream_base::client, ec);
  if (ec) return "";
  asio::write(stream, asio::buffer(request), ec);
  std::string seen;
  asio::read(stream, asio::dynamic_buffer(seen), ec);
  if (end != nullptr) *end = ec;
  return seen;
}

Router table() {
  Router router;
  router.add("POST", "/size", [](const Request& request) -> Task<Response> {
    co_return Response::text(std::to_string(request.body.view().size()) + (request.is_tls ? " tls" : ""));
  });
  return router;
}

std::string post(std::size_t bytes) {
  return "POST /size HTTP/1.1\r\nConnection: close\r\nContent-Length: " + std::to_string(bytes) + "\r\n\r\n" +
         std::string(bytes, 'x');
}

TEST(Tls, ServesSmallAndLargeBodies) {
  const Certificate certificate;
  const Router router = table();
  RunningServer server(router, {.tls = certificate.files()});
  EXPECT_THAT(ask(server.port(), certificate, false, post(3)), EndsWith("3 tls"));
  EXPECT_THAT(ask(server.port(), certificate, false, post(2'000'000)), EndsWith("2000000 tls"));
}

TEST(Tls, SaysThatAnAnswerOfNoLengthIsWhole) {
  const Certificate certificate;
  Router router;
  RouteOptions options;
  options.takeover = [](Request&, ClientStream& client) -> Task<TakeoverEnd> {
    co_await client.write("HTTP/1.0 200 OK\r\n\r\nall of it");
    co_return TakeoverEnd();
  };
  router.add("POST", "/taken", {}, std::move(options));
  RunningServer server(router, {.tls = certificate.files()});
  for (const std::size_t size : {3UL, 200'000UL}) {  // the program behind reads none of it
    const std::string post = "POST /taken HTTP/1.0\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
    boost::system::error_code end;
    EXPECT_THAT(ask(server.port(), certificate, false, post + std::string(size, 'x'), &end), EndsWith("\r\nall of it"));
    EXPECT_EQ(end, asio::error::eof);
  }
}

TEST(Tls, SendsAnswersOfEverySize) {
  const Certificate certificate;
  Router router;
  router.add("GET", "/answer/{size}", [](const Request& request) -> Task<Response> {
    co_return Response::text(std::string(std::stoul(std::string(request.params.get("size"))), 'x'));
  });
  RunningServer server(router, {.tls = certificate.files()});
  for (const std::size_t size : {100UL, 16'000UL, 16'384UL, 18'618UL, 100'000UL, 1'000'000UL}) {
    const std::string request = "GET /answer/" + std::to_string(size) + " HTTP/1.1\r\nConnection: close\r\n\r\n";
    const std::string seen = ask(server.port(), certificate, false, request);
    EXPECT_EQ(seen.size() - seen.find("\r\n\r\n"), size + 4);
  }
}

TEST(Tls, LetsInOnlyClientsOfTheAuthorityWhenThereIsOne) {
  const Certificate certificate;
  const Router router = table();
  TlsFiles files = certificate.files();
  files.client_ca_file = files.certificate_file;
  RunningServer server(router, {.tls = files});
  EXPECT_THAT(ask(server.port(), certificate, true, post(3)), EndsWith("3 tls"));
  EXPECT_EQ(ask(server.port(), certificate, false, post(3)), "");
}

TEST(Tls, ServesARenewedCertificateToTheNextConnection) {
  const Certificate certificate, other;
  const Router router = table();
  RunningServer server(router, {.tls = certificate.files(), .certificate_look = std::chrono::milliseconds(0)});
  EXPECT_THAT(ask(server.port(), certificate, false, post(3)), EndsWith("3 tls"));
  certificate.renew();
  EXPECT_THAT(ask(server.port(), certificate, false, post(3)), EndsWith("3 tls")) << "which trusts the new one only";
  // In the middle of a renewal by hand the key is another's, until that has come, too.
  std::filesystem::copy_file(other.files().key_file, certificate.files().key_file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(ask(server.port(), certificate, false, post(3)), EndsWith("3 tls"));
  std::filesystem::copy_file(other.files().certificate_file, certificate.files().certificate_file,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(ask(server.port(), other, false, post(3)), EndsWith("3 tls"));
}

TEST(Tls, SaysWhichFileCannotBeUsed) {
  const Router router = table();
  asio::io_context io;
  Server server(io.get_executor(),
                {.tls = {.certificate_file = "/nowhere/tls.crt", .key_file = "", .client_ca_file = ""}}, router);
  const Status started = server.start();
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, testing::HasSubstr("the certificate /nowhere/tls.crt cannot be used"));
}

}  // namespace
}  // namespace det::http
