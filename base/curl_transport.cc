#include "base/curl_transport.h"

#include <utility>

#include "base/curl_multi.h"
#include "base/curl_transfer.h"

namespace det {
namespace {

// Takes the transfer out of libcurl on every way out of the coroutine, cancellation included.
class Running {
 public:
  Running(std::shared_ptr<CurlMulti> multi, CurlTransfer& transfer) : multi_(std::move(multi)), transfer_(transfer) {
    multi_->add(transfer_);
  }
  ~Running() { multi_->remove(transfer_); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  std::shared_ptr<CurlMulti> multi_;
  CurlTransfer& transfer_;
};

}  // namespace

CurlTransport::CurlTransport(asio::any_io_executor executor, int max_host_connections)
    : executor_(executor), multi_(std::make_shared<CurlMulti>(executor, max_host_connections)) {}

CurlTransport::~CurlTransport() = default;

Task<Result<HttpResponse>> CurlTransport::send(HttpRequest request) {
  return run(std::move(request), {});
}

Task<Result<HttpResponse>> CurlTransport::stream(HttpRequest request, BodySink sink) {
  return run(std::move(request), std::move(sink));
}

Task<Result<HttpResponse>> CurlTransport::run(HttpRequest request, BodySink sink) {
  CurlTransfer transfer(*multi_, executor_, std::move(request), std::move(sink));
  const Running running(multi_, transfer);
  co_return co_await transfer.wait();
}

}  // namespace det
