#pragma once

// One request under way: its libcurl handle, what has come so far, and the coroutine that waits for its end. A detail
// of base/curl_transport.cc. Belongs to the io thread; lives in the frame of the coroutine that waits.

#include <chrono>
#include <memory>
#include <string>

#include <curl/curl.h>
#include <boost/asio/steady_timer.hpp>

#include "base/http_client.h"

namespace det {

class CurlMulti;

class CurlTransfer {
 public:
  // An empty sink collects the body in the response.
  CurlTransfer(CurlMulti& multi, asio::any_io_executor executor, HttpRequest request, BodySink sink);
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  [[nodiscard]] CURL* easy() const { return easy_.get(); }
  // Returns when the transfer has ended or its idle time is over.
  Task<Result<HttpResponse>> wait();

  // Called by CurlMulti, outside libcurl.
  void deliver();
  void finish(CURLcode code);

 private:
  struct FreeEasy {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };
  enum class End : std::uint8_t { kNone, kFinished, kIdle, kRefusedBySink };

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* self);
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_new_socket(void* self, curl_socket_t fd, curlsocktype purpose);
  static int on_progress(void* self, curl_off_t to_read, curl_off_t read, curl_off_t to_send, curl_off_t sent);
  void set_target();
  void set_tls(const TlsConfig& tls);
  void set_method();
  void set_headers();
  void take_header(std::string_view line);
  [[nodiscard]] bool is_success() const { return response_.status >= 200 && response_.status < 300; }
  // Nothing was while no connection, TLS included, was there.
  [[nodiscard]] bool was_sent() const;
  [[nodiscard]] Error error_of(CURLcode code) const;
  [[nodiscard]] std::string target_text() const;

  CurlMulti& multi_;
  HttpRequest request_;
  BodySink sink_;
  HttpResponse response_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::unique_ptr<curl_slist, FreeList> connect_to_;
  char error_text_[CURL_ERROR_SIZE] = {};
  std::string undelivered_;
  bool is_head_told_ = false;
  bool is_too_long_ = false;
  bool is_refused_ = false;  // may_connect said no
  End end_ = End::kNone;
  CURLcode code_ = CURLE_OK;
  std::chrono::steady_clock::time_point last_byte_;
  asio::steady_timer wake_;
};

}  // namespace det
