#include "pg/listener.h"

#include <algorithm>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "pg/errors.h"
#include "pg/raw_connection.h"

namespace det::pg {
namespace {

constexpr Millis kFirstDelay{100};
constexpr Millis kLongestDelay{5'000};

Result<RawConnection> connect(const std::string& url, const std::vector<std::string>& channels) {
  auto connection = RawConnection::open(url, "det-operator listener");
  if (!connection) return connection;
  for (const std::string& channel : channels) {
    DET_TRY(connection->execute("LISTEN " + channel));
  }
  return connection;
}

// Waiting borrows libpq's socket: closing it stays libpq's business.
class BorrowedDescriptor {
 public:
  BorrowedDescriptor(const asio::any_io_executor& executor, int fd) : descriptor_(executor, fd) {}
  ~BorrowedDescriptor() { descriptor_.release(); }
  BorrowedDescriptor(const BorrowedDescriptor&) = delete;
  BorrowedDescriptor& operator=(const BorrowedDescriptor&) = delete;
  asio::posix::stream_descriptor& operator*() { return descriptor_; }

 private:
  asio::posix::stream_descriptor descriptor_;
};

}  // namespace

Listener::Listener(Clock& clock, std::string url, std::vector<std::string> channels, OnNotify on_notify,
                   OnConnect on_connect)
    : clock_(clock),
      url_(std::move(url)),
      channels_(std::move(channels)),
      on_notify_(std::move(on_notify)),
      on_connect_(std::move(on_connect)),
      connecting_(1) {}

Listener::~Listener() {
  connecting_.join();
}

Task<void> Listener::run() {
  const Logger log("pg.listener");
  Millis delay = kFirstDelay;
  for (;;) {
    bool was_connected = false;
    const Error lost = co_await listen_once(&was_connected);
    if (was_connected) delay = kFirstDelay;
    log.warn("notifications were interrupted", {{"error", lost.message}, {"retry_ms", delay.count()}});
    co_await clock_.sleep_for(delay);
    delay = std::min(delay * 2, kLongestDelay);
  }
}

Task<Error> Listener::listen_once(bool* was_connected) {
  auto connect_there = [url = url_, channels = channels_] { return connect(url, channels); };
  auto connection = co_await run_on(connecting_, std::move(connect_there));
  if (!connection) co_return connection.error();
  *was_connected = true;
  on_connect_();
  PGconn* handle = connection->handle();
  BorrowedDescriptor socket(co_await asio::this_coro::executor, PQsocket(handle));
  for (;;) {
    while (PGnotify* raw = PQnotifies(handle)) {
      const std::unique_ptr<PGnotify, decltype(&PQfreemem)> notify(raw, &PQfreemem);
      on_notify_(notify->relname, notify->extra);
    }
    co_await (*socket).async_wait(asio::posix::stream_descriptor::wait_read, asio::use_awaitable);
    if (PQconsumeInput(handle) == 0 || connection->is_lost()) co_return error_of({}, PQerrorMessage(handle));
  }
}

}  // namespace det::pg
