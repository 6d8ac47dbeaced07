// Whole connections from bytes: what comes after the last request is cut off, as by a client that has gone. A real
// server on loopback answers; what it answers must be HTTP, and no body may be larger than its route allows.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "http/server.h"

namespace {

namespace asio = boost::asio;
using namespace det;
using asio::ip::tcp;

constexpr std::size_t kBodyLimit = 4096;

class Host {
 public:
  Host() {
    const http::Handler echo = [](const http::Request& request) -> Task<http::Response> {
      if (request.body.view().size() > kBodyLimit) std::abort();
      co_return http::Response::text(std::string(request.body.view()));
    };
    for (const char* method : {"GET", "POST", "PATCH"}) router_.add(method, "/{any}", echo, {.body_limit = kBodyLimit});
    http::ServerOptions options;
    options.spool_above = 512;  // both ways of a body
    server_ = std::make_unique<http::Server>(io_.get_executor(), options, router_);
    if (!server_->start()) std::abort();
  }

  // What the server says until it closes.
  std::string exchange(std::string_view sent) {
    tcp::socket socket(io_);
    boost::system::error_code ec;
    // libFuzzer's alarm interrupts it now and then.
    do socket.connect({asio::ip::address_v4::loopback(), server_->port()}, ec);
    while (ec == asio::error::interrupted);
    if (ec) std::abort();
    socket.non_blocking(true);
    std::string said;
    std::array<char, 8192> piece{};
    bool is_sent = false;
    for (int rounds = 0; rounds < 100'000; ++rounds) {
      io_.restart();
      io_.poll();
      if (!is_sent) {
        const std::size_t wrote = socket.write_some(asio::buffer(sent), ec);
        if (!ec) sent.remove_prefix(wrote);
        if (sent.empty() || (ec && ec != asio::error::would_block)) {
          socket.shutdown(tcp::socket::shutdown_send, ec);
          is_sent = true;
        }
      }
      const std::size_t got = socket.read_some(asio::buffer(piece), ec);
      if (!ec) said.append(piece.data(), got);
      if (ec && ec != asio::error::would_block) return said;
    }
    std::fprintf(stderr, "the server neither answers nor closes\n");
    std::abort();
  }

 private:
  asio::io_context io_;
  http::Router router_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Host& host = *new Host();  // for as long as the process
  if (size > (std::size_t{1} << 18)) return 0;
  const std::string said = host.exchange({reinterpret_cast<const char*>(data), size});
  if (!said.empty() && !said.starts_with("HTTP/1.")) std::abort();
  return 0;
}
