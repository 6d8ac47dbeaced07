#pragma once

// HttpTransport over libcurl's multi interface, driven by the io thread's event loop: HTTP/2 with many requests on one
// connection, TLS, proxies from the environment (never for loopback addresses). Belongs to the io thread; every call
// must have returned before the io_context goes. Long streams can use up a server's connections: give watches an
// instance of their own.

#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "base/http_client.h"

namespace det {

class CurlMulti;

class CurlTransport final : public HttpTransport {
 public:
  // At most `max_host_connections` connections to one host; requests beyond what they carry wait. A server without
  // HTTP/2 serves one request per connection, so a transport for N long streams of such a server needs N.
  explicit CurlTransport(asio::any_io_executor executor, int max_host_connections = 4);
  ~CurlTransport() override;
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  Task<Result<HttpResponse>> send(HttpRequest request) override;
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override;

 private:
  Task<Result<HttpResponse>> run(HttpRequest request, BodySink sink);

  asio::any_io_executor executor_;
  std::shared_ptr<CurlMulti> multi_;
};

}  // namespace det
