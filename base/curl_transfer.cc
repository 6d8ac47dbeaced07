#include "base/curl_transfer.h"

#include <cctype>
#include <utility>

#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/check.h"
#include "base/curl_multi.h"
#include "base/lower_case.h"

namespace det {
namespace {

// How long sent data may stay without an answer of the peer's kernel: HTTP/2 hides a dead peer from its users.
constexpr unsigned kUserTimeoutMillis = 30'000;
constexpr long kKeepAliveIdleSeconds = 30;
constexpr long kKeepAliveIntervalSeconds = 10;
constexpr long kConnectTimeoutMillis = 10'000;

std::string url_part(const std::string& url, CURLUPart part) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  char* text = nullptr;
  if (curl_url_get(parsed.get(), part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) return {};
  std::string copy(text);
  curl_free(text);
  return copy;
}

std::string with_host(const std::string& url, const std::string& host) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), &curl_url_cleanup);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return url;
  if (curl_url_set(parsed.get(), CURLUPART_HOST, host.c_str(), 0) != CURLUE_OK) return url;
  char* text = nullptr;
  if (curl_url_get(parsed.get(), CURLUPART_URL, &text, 0) != CURLUE_OK) return url;
  std::string copy(text);
  curl_free(text);
  return copy;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host.starts_with("127.") || host == "[::1]" || host.ends_with(".localhost");
}

void set_blob(CURL* easy, CURLoption option, const std::string& pem) {
  if (pem.empty()) return;
  // NOCOPY: the request's TlsConfig outlives the transfer.
  curl_blob blob{.data = const_cast<char*>(pem.data()), .len = pem.size(), .flags = CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, option, &blob);
}

}  // namespace

CurlTransfer::CurlTransfer(CurlMulti& multi, asio::any_io_executor executor, HttpRequest request, BodySink sink)
    : multi_(multi),
      request_(std::move(request)),
      sink_(std::move(sink)),
      easy_(curl_easy_init()),
      last_byte_(std::chrono::steady_clock::now()),
      wake_(std::move(executor)) {
  DET_CHECK(easy_ != nullptr, "libcurl had no memory");
  CURL* const curl = easy();
  curl_easy_setopt(curl, CURLOPT_PRIVATE, this);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  // Else a transfer that ends while its name is looked up waits for the resolver's thread, on the io thread.
  curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
  // Waiting to share a connection pays where HTTP/2 is agreed on in the TLS handshake. Over plain HTTP libcurl never
  // tells those who wait that there is nothing to share, and a second watch would begin when the first one ends.
  curl_easy_setopt(curl, CURLOPT_PIPEWAIT, request_.url.starts_with("https:") ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "det-operator");
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout.count()));
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMillis);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  curl_easy_setopt(curl, CURLOPT_SOCKOPTFUNCTION, &CurlTransfer::on_new_socket);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);  // what a proxy says is no answer
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);  // storages sign it: a part "." is one of the name
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, this);
  // A compressed stream would be held back until a block is full.
  if (!sink_) curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "");
  if (request_.on_upload) {
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, &CurlTransfer::on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, this);
  }
  if (request_.may_connect) {
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &CurlTransfer::open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(curl, CURLOPT_PROXY, "");
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
  }
  if (request_.tls) set_tls(*request_.tls);
  set_target();
  set_method();
  set_headers();
}

void CurlTransfer::set_target() {
  const std::string host = url_part(request_.url, CURLUPART_HOST);
  if (is_loopback(host) || request_.is_direct) curl_easy_setopt(easy(), CURLOPT_PROXY, "");
  if (!request_.tls || request_.tls->server_name.empty()) {
    curl_easy_setopt(easy(), CURLOPT_URL, request_.url.c_str());
    return;
  }
  // libcurl takes the name it asks for and checks from the URL: the URL gets that name, the connection the real host.
  const std::string port = url_part(request_.url, CURLUPART_PORT);
  connect_to_.reset(curl_slist_append(nullptr, ("::" + host + ":" + port).c_str()));
  curl_easy_setopt(easy(), CURLOPT_CONNECT_TO, connect_to_.get());
  curl_easy_setopt(easy(), CURLOPT_URL, with_host(request_.url, request_.tls->server_name).c_str());
  request_.headers.emplace_back("Host", host + ":" + port);
}

void CurlTransfer::set_tls(const TlsConfig& tls) {
  set_blob(easy(), CURLOPT_CAINFO_BLOB, tls.ca_pem);
  // The blob takes the place of libcurl's file alone: the system's folder of authorities would count beside it.
  if (!tls.ca_pem.empty()) curl_easy_setopt(easy(), CURLOPT_CAPATH, nullptr);
  set_blob(easy(), CURLOPT_SSLCERT_BLOB, tls.certificate_pem);
  set_blob(easy(), CURLOPT_SSLKEY_BLOB, tls.key_pem);
  curl_easy_setopt(easy(), CURLOPT_SSL_VERIFYPEER, tls.verify ? 1L : 0L);
  curl_easy_setopt(easy(), CURLOPT_SSL_VERIFYHOST, tls.verify ? 2L : 0L);
}

void CurlTransfer::set_method() {
  if (request_.method == "HEAD") {
    curl_easy_setopt(easy(), CURLOPT_NOBODY, 1L);
    return;
  }
  if (request_.method == "GET" && request_.body.empty()) return;
  const bool may_lack_body = request_.method == "GET" || request_.method == "DELETE";
  if (!request_.body.empty() || !may_lack_body) {
    curl_easy_setopt(easy(), CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy(), CURLOPT_POSTFIELDS, request_.body.data());
  }
  curl_easy_setopt(easy(), CURLOPT_CUSTOMREQUEST, request_.method.c_str());
}

void CurlTransfer::set_headers() {
  // Without this, libcurl asks for "100 Continue" before larger bodies and waits a second for servers that never say
  // it.
  curl_slist* list = curl_slist_append(nullptr, "Expect:");
  for (const auto& [name, value] : request_.headers) {
    list = curl_slist_append(list, (value.empty() ? name + ";" : name + ": " + value).c_str());
  }
  headers_.reset(list);
  curl_easy_setopt(easy(), CURLOPT_HTTPHEADER, list);
}

// Asked with the address itself, after names were resolved: what a name stands for the next time changes nothing.
curl_socket_t CurlTransfer::open_socket(void* raw, curlsocktype /*purpose*/, curl_sockaddr* address) {
  auto& self = *static_cast<CurlTransfer*>(raw);
  char text[NI_MAXHOST] = {};
  const bool is_known =
      getnameinfo(&address->addr, address->addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0;
  if (!is_known || !self.request_.may_connect(text)) {
    self.is_refused_ = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int CurlTransfer::on_new_socket(void* /*self*/, curl_socket_t fd, curlsocktype /*purpose*/) {
  const unsigned timeout = kUserTimeoutMillis;
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof timeout);
  return CURL_SOCKOPT_OK;
}

int CurlTransfer::on_progress(void* raw, curl_off_t /*to_read*/, curl_off_t /*read*/, curl_off_t to_send,
                              curl_off_t sent) {
  auto& self = *static_cast<CurlTransfer*>(raw);
  if (to_send > 0) self.request_.on_upload(static_cast<std::uint64_t>(sent), static_cast<std::uint64_t>(to_send));
  return 0;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t size, std::size_t count, void* self) {
  static_cast<CurlTransfer*>(self)->take_header(std::string_view(data, size * count));
  return size * count;
}

void CurlTransfer::take_header(std::string_view line) {
  last_byte_ = std::chrono::steady_clock::now();
  if (line.starts_with("HTTP/")) {  // also after an interim response: what it said is not ours
    response_.headers.clear();
    long status = 0;
    curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    return;
  }
  while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
  // The end of the head, which may be all that comes for hours.
  if (line.empty() && sink_ && request_.on_head && !is_head_told_ && is_success()) multi_.has_bytes(*this);
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name = lower_case(std::string(line.substr(0, colon)));
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && std::isspace(static_cast<unsigned char>(value.front())) != 0) value.remove_prefix(1);
  response_.headers.emplace_back(std::move(name), value);
}

std::size_t CurlTransfer::on_body(char* data, std::size_t size, std::size_t count, void* raw) {
  auto& self = *static_cast<CurlTransfer*>(raw);
  const std::size_t length = size * count;
  self.last_byte_ = std::chrono::steady_clock::now();
  if (!self.sink_ || !self.is_success()) {
    if (self.request_.max_answer > 0 && self.response_.body.size() + length > self.request_.max_answer) {
      self.is_too_long_ = true;
      return 0;  // not `length`: libcurl ends the transfer
    }
    self.response_.body.append(data, length);
    return length;
  }
  if (self.undelivered_.empty()) self.multi_.has_bytes(self);
  self.undelivered_.append(data, length);
  return length;
}

void CurlTransfer::deliver() {
  const std::string bytes = std::exchange(undelivered_, {});
  if (end_ != End::kNone) return;
  const bool tells_head = request_.on_head && !std::exchange(is_head_told_, true);
  if ((!tells_head || request_.on_head(response_)) && (bytes.empty() || sink_(bytes))) return;
  end_ = End::kRefusedBySink;
  wake_.cancel();
}

void CurlTransfer::finish(CURLcode code) {
  if (end_ != End::kNone) return;
  end_ = End::kFinished;
  code_ = code;
  wake_.cancel();
}

Task<Result<HttpResponse>> CurlTransfer::wait() {
  while (end_ == End::kNone) {
    const auto deadline =
        request_.idle_timeout ? last_byte_ + *request_.idle_timeout : std::chrono::steady_clock::time_point::max();
    if (std::chrono::steady_clock::now() >= deadline) {
      end_ = End::kIdle;
      break;
    }
    wake_.expires_at(deadline);
    boost::system::error_code ignored;
    co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  if (end_ == End::kIdle) {
    co_return fail(ErrorCode::kDeadlineExceeded,
                   target_text() + ": nothing came for " + std::to_string(request_.idle_timeout->count()) + " ms");
  }
  if (end_ == End::kRefusedBySink) co_return fail(ErrorCode::kCanceled, target_text() + ": the reader ended it");
  if (code_ != CURLE_OK) co_return std::unexpected(error_of(code_));
  co_return std::move(response_);
}

bool CurlTransfer::was_sent() const {
  curl_off_t micros = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_PRETRANSFER_TIME_T, &micros);
  return micros > 0;
}

Error CurlTransfer::error_of(CURLcode code) const {
  if (is_too_long_) {
    return {.code = ErrorCode::kResourceExhausted,
            .message = target_text() + ": the answer is longer than " + std::to_string(request_.max_answer) + " bytes",
            .field = {},
            .retry_after = {}};
  }
  if (is_refused_) {
    return {.code = ErrorCode::kPermissionDenied,
            .message = target_text() + ": the host's address is one that may not be connected to",
            .field = {},
            .retry_after = {}};
  }
  ErrorCode kind = ErrorCode::kUnavailable;
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      if (was_sent()) kind = ErrorCode::kDeadlineExceeded;
      break;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      kind = ErrorCode::kPermissionDenied;
      break;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      kind = ErrorCode::kInvalidArgument;
      break;
    default:  // libcurl's list is open: everything else is a connection that did not do its work
      break;
  }
  const std::string text = error_text_[0] != '\0' ? error_text_ : curl_easy_strerror(code);
  return {.code = kind, .message = target_text() + ": " + text, .field = {}, .retry_after = {}};
}

// Without user, password and query: they may hold what must not be logged.
std::string CurlTransfer::target_text() const {
  const std::string host = url_part(request_.url, CURLUPART_HOST);
  if (host.empty()) return request_.method + " of a URL that cannot be read";
  return request_.method + " " + url_part(request_.url, CURLUPART_SCHEME) + "://" + host + ":" +
         url_part(request_.url, CURLUPART_PORT) + url_part(request_.url, CURLUPART_PATH);
}

}  // namespace det
