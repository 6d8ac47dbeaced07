#include "base/curl_multi.h"

#include <chrono>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/check.h"
#include "base/curl_transfer.h"

namespace det {

struct CurlMulti::Socket {
  asio::posix::stream_descriptor descriptor;
  curl_socket_t fd = CURL_SOCKET_BAD;
  int wanted = 0;
  bool reading = false;
  bool writing = false;
  bool removed = false;
};

CurlMulti::CurlMulti(asio::any_io_executor executor, int max_host_connections)
    : executor_(std::move(executor)), multi_(nullptr), timer_(executor_) {
  DET_CHECK(curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK, "libcurl did not start");
  multi_ = curl_multi_init();
  DET_CHECK(multi_ != nullptr, "libcurl had no memory");
  curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &CurlMulti::on_socket);
  curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &CurlMulti::on_timer);
  curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(multi_, CURLMOPT_MAX_HOST_CONNECTIONS, static_cast<long>(max_host_connections));
}

CurlMulti::~CurlMulti() {
  curl_multi_cleanup(multi_);
  curl_global_cleanup();
}

void CurlMulti::add(CurlTransfer& transfer) {
  DET_CHECK(curl_multi_add_handle(multi_, transfer.easy()) == CURLM_OK, "a transfer is started once, outside libcurl");
}

void CurlMulti::remove(CurlTransfer& transfer) {
  std::erase(with_bytes_, &transfer);
  DET_CHECK(curl_multi_remove_handle(multi_, transfer.easy()) == CURLM_OK, "a transfer is ended outside libcurl");
}

int CurlMulti::on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* self, void* /*socket*/) {
  static_cast<CurlMulti*>(self)->watch(fd, what);
  return 0;
}

int CurlMulti::on_timer(CURLM* /*multi*/, long timeout_ms, void* self) {
  static_cast<CurlMulti*>(self)->set_timer(timeout_ms);
  return 0;
}

void CurlMulti::watch(curl_socket_t fd, int what) {
  const auto known = sockets_.find(fd);
  if (what == CURL_POLL_REMOVE) {
    if (known == sockets_.end()) return;
    known->second->removed = true;
    known->second->descriptor.release();  // libcurl owns the file descriptor
    sockets_.erase(known);
    return;
  }
  std::shared_ptr<Socket> socket;
  if (known != sockets_.end()) {
    socket = known->second;
  } else {
    asio::posix::stream_descriptor descriptor(executor_);
    boost::system::error_code failed;
    descriptor.assign(fd, failed);
    if (failed) return;  // the transfer ends by its time-out
    socket = std::make_shared<Socket>(Socket{.descriptor = std::move(descriptor), .fd = fd});
    sockets_.emplace(fd, socket);
  }
  socket->wanted = what;
  arm(socket);
}

void CurlMulti::arm(const std::shared_ptr<Socket>& socket) {
  // Weak: a connection that only waits must not keep the transport alive.
  const auto start = [this, &socket](asio::posix::stream_descriptor::wait_type type, int event) {
    socket->descriptor.async_wait(
        type, [weak = weak_from_this(), watched = std::weak_ptr(socket), event](boost::system::error_code error) {
          const auto self = weak.lock();
          const auto alive = watched.lock();
          if (self && alive && !alive->removed) self->ready(alive, event, static_cast<bool>(error));
        });
  };
  if ((socket->wanted & CURL_POLL_IN) != 0 && !socket->reading) {
    socket->reading = true;
    start(asio::posix::stream_descriptor::wait_read, CURL_CSELECT_IN);
  }
  if ((socket->wanted & CURL_POLL_OUT) != 0 && !socket->writing) {
    socket->writing = true;
    start(asio::posix::stream_descriptor::wait_write, CURL_CSELECT_OUT);
  }
}

void CurlMulti::ready(const std::shared_ptr<Socket>& socket, int event, bool failed) {
  (event == CURL_CSELECT_IN ? socket->reading : socket->writing) = false;
  const int wanted = event == CURL_CSELECT_IN ? CURL_POLL_IN : CURL_POLL_OUT;
  if ((socket->wanted & wanted) != 0) act(socket->fd, failed ? CURL_CSELECT_ERR : event);
  if (!socket->removed && !failed) arm(socket);
}

void CurlMulti::set_timer(long timeout_ms) {
  if (timeout_ms < 0) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::chrono::milliseconds(timeout_ms));
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (!error && self) self->act(CURL_SOCKET_TIMEOUT, 0);
  });
}

void CurlMulti::act(curl_socket_t fd, int events) {
  int running = 0;
  curl_multi_socket_action(multi_, fd, events, &running);
  while (!with_bytes_.empty()) {
    CurlTransfer* const transfer = with_bytes_.front();
    with_bytes_.pop_front();
    transfer->deliver();
  }
  int left = 0;
  while (CURLMsg* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    void* transfer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
    static_cast<CurlTransfer*>(transfer)->finish(message->data.result);
  }
}

}  // namespace det
