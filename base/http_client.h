#pragma once

// HTTP for everything that dials out: the Kubernetes client, the CLI, webhooks. One interface, two implementations:
// libcurl (base/curl_transport.h) and scripted ones in tests (tests/support/fake_transport.h). Belongs to the io
// thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/task.h"

namespace det {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// Client certificate, trust and server name of one peer. Shared by all requests to it: connections are reused per
// TlsConfig.
struct TlsConfig {
  std::string ca_pem;           // empty: the system's bundle
  std::string certificate_pem;  // empty: no client certificate
  std::string key_pem;
  std::string server_name;  // empty: the host of the URL
  bool verify = true;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;  // names in lower case
  std::string body;     // empty for streams

  // First value of a header given in lower case, or nothing.
  [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const;
};

struct HttpRequest {
  std::string method = "GET";
  std::string url;  // absolute
  HttpHeaders headers;
  std::string body;
  std::shared_ptr<const TlsConfig> tls;                   // null: defaults
  std::chrono::milliseconds timeout{30'000};              // whole call; zero: none (streams)
  std::optional<std::chrono::milliseconds> idle_timeout;  // streams: cut when no byte came for so long
  // Told now and then how many bytes of the body have left, and how many there are. May be empty.
  std::function<void(std::uint64_t sent, std::uint64_t total)> on_upload;
  // Streams: called once, with the status (2xx) and headers of the answer, as soon as they are there and before the
  // first byte goes to the sink. Returning false ends the transfer (kCanceled). May be empty.
  std::function<bool(const HttpResponse& head)> on_head;
  // Asked for each address, as text, before it is connected to; where it says no, it is as if nobody listened there.
  // No proxy of the environment is used then, and no connection is shared. May be empty: everything may be.
  std::function<bool(const std::string& address)> may_connect;
  bool is_direct = false;      // never through a proxy of the environment
  std::size_t max_answer = 0;  // bytes of the answer's body; more is kResourceExhausted. 0: any
};

// Gets the bytes of a 2xx body as they arrive, on the io thread; returning false ends the transfer (kCanceled).
using BodySink = std::function<bool(std::string_view)>;

class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  // Any status is a response; errors are what kept one from coming: kUnavailable (refused, reset, name not found),
  // kDeadlineExceeded, kPermissionDenied (TLS). Cancelling the coroutine aborts the transfer.
  virtual Task<Result<HttpResponse>> send(HttpRequest request) = 0;
  // Like send, but a 2xx body goes to `sink` as it comes (other statuses keep their body in the response). Returns when
  // the body has ended; a body cut before its end is kUnavailable, a body that stopped flowing kDeadlineExceeded.
  virtual Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) = 0;
};

}  // namespace det
