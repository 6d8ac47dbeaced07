#pragma once

// A blocking client over TLS that trusts whoever answers.

#include <cstdint>

#include <boost/asio/ssl.hpp>

#include "tests/http/raw_client.h"

namespace det::http {

class TlsClient : public BlockingClient<TlsClient> {
 public:
  explicit TlsClient(std::uint16_t port) {
    stream_.next_layer().connect({asio::ip::make_address("127.0.0.1"), port});
    stream_.handshake(asio::ssl::stream_base::client);
  }
  asio::ssl::stream<asio::ip::tcp::socket>& stream() { return stream_; }

 private:
  asio::io_context io_;
  asio::ssl::context context_{asio::ssl::context::tls_client};
  asio::ssl::stream<asio::ip::tcp::socket> stream_{io_, context_};
};

}  // namespace det::http
