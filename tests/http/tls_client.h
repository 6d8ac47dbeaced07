#pragma once

// A blocking client over TLS that trusts whoever answers.

#include <cstdint>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

#include "base/async.h"

namespace det::http {

class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port) {
    stream_.next_layer().connect({asio::ip::make_address("127.0.0.1"), port});
    stream_.handshake(asio::ssl::stream_base::client);
  }
  void send(std::string_view text) { asio::write(stream_, asio::buffer(text)); }
  // Reads until the text holds `end`, or the server closes.
  std::string read_until(std::string_view end) {
    while (seen_.find(end) == std::string::npos && read_some()) {
    }
    const auto at = seen_.find(end);
    return take(at == std::string::npos ? seen_.size() : at + end.size());
  }
  std::string read_exactly(std::size_t bytes) {
    while (seen_.size() < bytes && read_some()) {
    }
    return take(std::min(bytes, seen_.size()));
  }

 private:
  std::string take(std::size_t size) {
    std::string out = seen_.substr(0, size);
    seen_.erase(0, size);
    return out;
  }
  bool read_some() {
    char bytes[4096];
    boost::system::error_code ec;
    const std::size_t got = stream_.read_some(asio::buffer(bytes), ec);
    seen_.append(bytes, got);
    return !ec;
  }

  asio::io_context io_;
  asio::ssl::context context_{asio::ssl::context::tls_client};
  asio::ssl::stream<asio::ip::tcp::socket> stream_{io_, context_};
  std::string seen_;
};

}  // namespace det::http
