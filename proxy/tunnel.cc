#include "proxy/tunnel.h"

#include <string>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "http/websocket_frames.h"

namespace det::proxy {
namespace {

using boost::system::error_code;
using asio::experimental::awaitable_operators::operator&&;  // NOLINT(misc-unused-using-decls): a template uses it

// Others want the io thread too.
constexpr std::size_t kTurn = std::size_t{1} << 20;

class Tunnel final : Watch::Watched {
 public:
  Tunnel(Shared& shared, http::ByteStream& client, http::ByteStream& program, std::function<void()> note_request)
      : Watched(shared.watch),
        shared_(shared),
        client_(client),
        program_(program),
        note_request_(std::move(note_request)),
        moved_at_(shared.clock.steady_now()) {}

  Task<void> run() {
    co_await (pump(client_, program_, true) && pump(program_, client_, false));
    close();
  }

 private:
  void close() {
    client_.close();
    program_.close();
  }

  void look(SteadyTime now) override {
    const auto patience = has_end_ ? shared_.patience.after_client_end : shared_.patience.websocket;
    if (now - moved_at_ > patience) close();
  }

  Task<void> pump(http::ByteStream& from, http::ByteStream& to, bool is_clients) {
    std::size_t moved = 0;
    for (;;) {
      error_code ec;
      const std::size_t got = from.read_now(shared_.in.data(), shared_.in.size(), ec);
      if (ec == asio::error::would_block) {
        moved = 0;
        ec = co_await from.wait_readable();
        if (!ec) continue;
      }
      if (ec == asio::error::eof) {
        has_end_ = true;
        to.finish_writing();
        co_return;
      }
      if (ec) break;
      moved_at_ = shared_.clock.steady_now();
      if (is_clients) look_for_use(got);
      const std::size_t sent = to.write_now({shared_.in.data(), got});
      if (sent < got) {
        const std::string rest(shared_.in, sent, got - sent);
        ec = co_await to.write(rest);
        if (ec) break;
        moved = 0;
      }
      moved += got;
      if (moved > kTurn) {
        moved = 0;
        co_await asio::post(asio::use_awaitable);
      }
    }
    close();
  }

  void look_for_use(std::size_t size) {
    bool is_use = !follows_;
    const auto take = [&is_use](http::Opcode opcode, std::string_view, bool) {
      is_use = is_use || static_cast<unsigned>(opcode) < 8;
    };
    follows_ = follows_ && frames_.feed(shared_.in.data(), size, take);
    if (is_use || !follows_) note_request_();
  }

  Shared& shared_;
  http::ByteStream& client_;
  http::ByteStream& program_;
  std::function<void()> note_request_;
  http::FrameReader frames_{http::FrameReader::Role::kOnlooker};
  bool follows_ = true;  // the client's frames are understood
  bool has_end_ = false;
  SteadyTime moved_at_;
};

}  // namespace

Task<void> run_tunnel(Shared& shared, http::ByteStream& client, http::ByteStream& program,
                      std::function<void()> note_request) {
  client.settle();
  program.settle();
  Tunnel tunnel(shared, client, program, std::move(note_request));
  co_await tunnel.run();
}

}  // namespace det::proxy
