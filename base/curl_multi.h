#pragma once

// The bridge between libcurl's multi handle and Asio: libcurl says which sockets and which timer it waits for, Asio
// waits, libcurl is told. A detail of base/curl_transport.cc. Belongs to the io thread. Callbacks of libcurl only take
// notes; what other code must see (body bytes, the end of a transfer) is handed on after libcurl has returned, so that
// nobody can call libcurl from inside itself.

#include <deque>
#include <memory>
#include <unordered_map>

#include <curl/curl.h>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"

namespace det {

class CurlTransfer;

class CurlMulti : public std::enable_shared_from_this<CurlMulti> {
 public:
  CurlMulti(asio::any_io_executor executor, int max_host_connections);
  ~CurlMulti();
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;

  // The transfer is borrowed until remove().
  void add(CurlTransfer& transfer);
  void remove(CurlTransfer& transfer);
  // The transfer has body bytes to hand on; called from inside libcurl.
  void has_bytes(CurlTransfer& transfer) { with_bytes_.push_back(&transfer); }

 private:
  struct Socket;
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* socket);
  static int on_timer(CURLM* multi, long timeout_ms, void* self);
  void watch(curl_socket_t fd, int what);
  void arm(const std::shared_ptr<Socket>& socket);
  void ready(const std::shared_ptr<Socket>& socket, int event, bool failed);
  void set_timer(long timeout_ms);
  // Lets libcurl act on a socket or its timer, then hands on what came of it.
  void act(curl_socket_t fd, int events);

  asio::any_io_executor executor_;
  CURLM* multi_;
  asio::steady_timer timer_;
  std::unordered_map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
  std::deque<CurlTransfer*> with_bytes_;
};

}  // namespace det
