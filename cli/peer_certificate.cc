#include "cli/peer_certificate.h"

#include <chrono>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/encoding.h"
#include "cli/master_address.h"

namespace det::cli {
namespace {

namespace ssl = asio::ssl;
using asio::experimental::awaitable_operators::operator||;  // NOLINT(misc-unused-using-decls): a template uses it
using asio::ip::tcp;

constexpr std::chrono::seconds kPatience{30};
constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

std::unexpected<Error> none_from(const std::string& url, const std::string& why) {
  return fail(ErrorCode::kUnavailable, "cannot get the certificate of " + url + ": " + why);
}

std::string chain_of(SSL* connection) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> out(BIO_new(BIO_s_mem()), &BIO_free);
  STACK_OF(X509)* const chain = SSL_get_peer_cert_chain(connection);
  for (int i = 0; chain != nullptr && i < sk_X509_num(chain); ++i) {
    if (out == nullptr || PEM_write_bio_X509(out.get(), sk_X509_value(chain, i)) != 1) return "";
  }
  const char* data = nullptr;
  const long size = out == nullptr ? 0 : BIO_get_mem_data(out.get(), &data);
  return size > 0 ? std::string(data, static_cast<std::size_t>(size)) : "";
}

Task<Result<std::string>> fetch(std::string url) {
  const MasterPlace place = place_of(url);
  const auto executor = co_await asio::this_coro::executor;
  ssl::context context(ssl::context::tls_client);
  context.set_verify_mode(ssl::verify_none);
  ssl::stream<tcp::socket> socket(executor, context);
  tcp::resolver resolver(executor);
  const auto [resolve_error, addresses] = co_await resolver.async_resolve(place.host, place.port, kTuple);
  if (resolve_error) co_return none_from(url, resolve_error.message());
  const auto [error, address] = co_await asio::async_connect(socket.lowest_layer(), addresses, kTuple);
  if (error) co_return none_from(url, error.message());
  SSL_set_tlsext_host_name(socket.native_handle(), place.host.c_str());
  const auto [refused] = co_await socket.async_handshake(ssl::stream_base::client, kTuple);
  if (refused) co_return none_from(url, refused.message());
  std::string chain = chain_of(socket.native_handle());
  if (chain.empty()) co_return none_from(url, "it sent none");
  co_return chain;
}

}  // namespace

Task<Result<std::string>> fetch_certificates(std::string url) {
  asio::steady_timer timer(co_await asio::this_coro::executor, kPatience);
  auto done = co_await (fetch(url) || timer.async_wait(kTuple));
  if (done.index() == 1) co_return none_from(url, "it does not answer");
  co_return std::get<0>(std::move(done));
}

std::string fingerprint(const std::string& pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  const auto begin = pem.find(kBegin);
  const auto end = begin == std::string::npos ? begin : pem.find("-----END", begin);
  if (end == std::string::npos) return "";
  std::string body = pem.substr(begin + kBegin.size(), end - begin - kBegin.size());
  std::erase_if(body, [](char c) { return c == '\n' || c == '\r'; });
  const auto der = base64_decode(body);
  if (!der) return "";
  const std::string digest = sha256_hex(*der);
  std::string text;
  for (std::size_t i = 0; i < digest.size(); i += 2) text += (i == 0 ? "" : ":") + digest.substr(i, 2);
  return text;
}

}  // namespace det::cli
