#include "api/stream_access.h"

#include <optional>
#include <string>
#include <utility>

#include "api/access_check.h"
#include "api/authenticator.h"
#include "api/authorize.h"
#include "base/clock.h"
#include "wire/error.h"

namespace det::api {

namespace {

class PermittedWriter final : public http::Writer {
 public:
  PermittedWriter(ApiServices& services, const http::Request& request, const Permit& permit,
                  std::chrono::seconds between, http::Writer& writer)
      : services_(services), request_(request), permit_(permit), between_(between), writer_(writer) {}

  Task<bool> write(std::string text) override {
    if (refusal_) co_return false;
    const SteadyTime now = services_.clock.steady_now();
    if (now - looked_at_ >= between_) {
      looked_at_ = now;
      const Status permitted = co_await look();
      if (!permitted && is_refusal(permitted.error().code)) {
        refusal_ = permitted.error();
        co_return false;
      }
    }
    co_return co_await writer_.write(std::move(text));
  }

  // After the last write.
  Task<void> finish() {
    if (refusal_) co_await writer_.write(wire::dump(wire::stream_error(*refusal_)) + "\n");
  }

 private:
  // What roles hide is not found.
  static bool is_refusal(ErrorCode code) {
    return code == ErrorCode::kUnauthenticated || code == ErrorCode::kPermissionDenied || code == ErrorCode::kNotFound;
  }

  Task<Status> look() {
    auto known = co_await services_.authenticator.identify(request_);
    DET_CO_TRY(known);
    auto caller = co_await with_grants(services_, std::move(*known));
    DET_CO_TRY(caller);
    co_return co_await permit_(std::move(*caller));
  }

  ApiServices& services_;
  const http::Request& request_;
  const Permit& permit_;
  std::chrono::seconds between_;
  http::Writer& writer_;
  SteadyTime looked_at_ = services_.clock.steady_now();
  std::optional<Error> refusal_;
};

Task<void> run_permitted(ApiServices& services, const http::Request& request, const Permit& permit,
                         const http::StreamBody& body, std::chrono::seconds between, http::Writer& writer) {
  PermittedWriter permitted(services, request, permit, between, writer);
  co_await body(permitted);
  co_await permitted.finish();
}

}  // namespace

http::StreamBody while_permitted(ApiServices& services, const RoutePolicy& policy, const http::Request& request,
                                 http::StreamBody body, std::chrono::seconds between) {
  Permit permit = [&services, &policy, &request](SharedIdentity caller) {
    return authorize(services, policy, request, std::move(caller));
  };
  return while_permitted(services, request, std::move(permit), std::move(body), between);
}

http::StreamBody while_permitted(ApiServices& services, const http::Request& request, Permit permit,
                                 http::StreamBody body, std::chrono::seconds between) {
  return [&services, &request, permit = std::move(permit), body = std::move(body), between](http::Writer& writer) {
    return run_permitted(services, request, permit, body, between, writer);
  };
}

}  // namespace det::api
