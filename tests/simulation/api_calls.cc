#include "tests/simulation/api_calls.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "base/race.h"
#include "tests/support/fake_store.h"
#include "tests/support/fake_transport.h"

namespace det::simulation {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTravels{4};
// A watch mostly tells at once what happened, and sometimes much later than the answer to a call.
constexpr milliseconds kWatchLag{12};
constexpr milliseconds kLongLag{1'500};
constexpr std::size_t kLongLagOneIn = 24;
// When another operator leads, after the lease's 15 s.
constexpr milliseconds kLateFrom{20'000};
constexpr milliseconds kLateTo{40'000};

std::unexpected<Error> lost() {
  return fail(ErrorCode::kUnavailable, "the connection was lost");
}

Call call_of(const HttpRequest& request, bool is_stream) {
  return {.place = Place::kApi, .what = request.method + " " + test::path_of_url(request.url), .is_stream = is_stream};
}

std::optional<HttpResponse> refusal_of(FaultKind kind) {
  const auto answer = [](int status, const char* reason, const char* message, HttpHeaders headers = {}) {
    return HttpResponse{
        .status = status, .headers = std::move(headers), .body = test::refusal(status, reason, message).body.dump()};
  };
  switch (kind) {
    case FaultKind::kConflict:
      return answer(409, "Conflict", "the object has been modified; please apply your changes to the latest version");
    case FaultKind::kExpired:
      return answer(410, "Expired", "too old resource version");
    case FaultKind::kTooMany:
      return answer(429, "TooManyRequests", "too many requests", {{"retry-after", "1"}});
    case FaultKind::kBroken:
      return answer(500, "InternalError", "etcdserver: leader changed");
    case FaultKind::kBusy:
      return answer(503, "ServiceUnavailable", "the server is currently unable to handle the request");
    default:
      return std::nullopt;
  }
}

}  // namespace

// An open watch: what the server wrote and the client has not read yet.
struct ApiCalls::Pipe {
  Pipe(const asio::any_io_executor& executor, std::list<Pipe*>& list)
      : input(executor), open(list), place(list.insert(list.end(), this)) {}
  ~Pipe() { open.erase(place); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  Signal input;
  std::list<Pipe*>& open;
  std::list<Pipe*>::iterator place;
  std::deque<std::string> written;
  std::optional<Result<HttpResponse>> ended;  // by the server
  std::optional<Result<HttpResponse>> result;
  bool is_cut = false;
  bool is_cut_early = false;
};

ApiCalls::ApiCalls(asio::any_io_executor executor, test::FakeApiServer& server, test::FakeClock& clock, Draw& draw,
                   FaultPlan& plan, Consequences consequences)
    : executor_(std::move(executor)),
      server_(server),
      clock_(clock),
      draw_(draw),
      plan_(plan),
      consequences_(std::move(consequences)) {}

void ApiCalls::cut_off(bool is_cut_off) {
  is_cut_off_ = is_cut_off;
  if (!is_cut_off) return;
  for (Pipe* pipe : open_) {
    pipe->is_cut = true;
    pipe->input.notify_all();
  }
}

Task<void> ApiCalls::travel() {
  co_await clock_.sleep_for(draw_.between(milliseconds(0), kTravels));
}

Task<Result<HttpResponse>> ApiCalls::send(HttpRequest request) {
  if (is_cut_off_) co_return lost();
  const FaultKind kind = plan_.next(call_of(request, false));
  co_await travel();
  if (is_cut_off_ || kind == FaultKind::kRequestLost) co_return lost();
  if (auto refused = refusal_of(kind)) co_return std::move(*refused);
  if (kind == FaultKind::kKilledBefore) {
    consequences_.killed();
    co_return lost();
  }
  if (request.method != "GET") {
    ++writes_;
    for (int i = 1; i < write_each_; ++i, ++writes_) co_await server_.send(request);
  }
  if (kind == FaultKind::kSecondLeader) {
    consequences_.deliver_late(std::move(request), draw_.between(kLateFrom, kLateTo));
    consequences_.usurped();
    co_await clock_.sleep_for(kLateTo);
    co_return lost();
  }
  auto answer = co_await server_.send(std::move(request));
  if (kind == FaultKind::kKilledAfter) consequences_.killed();
  if (is_cut_off_ || kind == FaultKind::kAnswerLost) co_return lost();
  co_await travel();
  if (is_cut_off_) co_return lost();
  co_return answer;
}

Task<Result<HttpResponse>> ApiCalls::stream(HttpRequest request, BodySink sink) {
  if (is_cut_off_) co_return lost();
  const FaultKind kind = plan_.next(call_of(request, true));
  co_await travel();
  if (is_cut_off_ || kind == FaultKind::kRequestLost) co_return lost();
  if (auto refused = refusal_of(kind)) co_return std::move(*refused);
  if (kind == FaultKind::kKilledBefore) {
    consequences_.killed();
    co_return lost();
  }
  Pipe pipe(executor_, open_);
  pipe.is_cut_early = kind == FaultKind::kWatchCut;
  auto pumping = pump(std::move(request), pipe);
  auto delivering = deliver(pipe, std::move(sink));
  co_await first_of(std::move(pumping), std::move(delivering));
  co_return std::move(*pipe.result);
}

Task<void> ApiCalls::pump(HttpRequest request, Pipe& pipe) {
  BodySink keep = [&pipe](std::string_view bytes) {
    pipe.written.emplace_back(bytes);
    pipe.input.notify_all();
    return true;
  };
  pipe.ended.emplace(co_await server_.stream(std::move(request), std::move(keep)));
  pipe.input.notify_all();
  Signal never(executor_);
  for (;;) {
    const auto seen = never.version();
    co_await never.wait(seen, std::chrono::hours(24));
  }
}

Task<void> ApiCalls::deliver(Pipe& pipe, BodySink sink) {
  while (!pipe.result) {
    const auto seen = pipe.input.version();
    if (pipe.is_cut) {
      pipe.result.emplace(lost());
    } else if (!pipe.written.empty()) {
      const bool is_slow = draw_.one_in(kLongLagOneIn);
      co_await clock_.sleep_for(draw_.between(milliseconds(0), is_slow ? kLongLag : kWatchLag));
      for (; !pipe.written.empty() && !pipe.is_cut && !pipe.result; pipe.written.pop_front()) {
        std::string_view bytes = pipe.written.front();
        if (pipe.is_cut_early) bytes = bytes.substr(0, bytes.size() / 2);
        if (!sink(bytes)) pipe.result.emplace(fail(ErrorCode::kCanceled, "the reader ended it"));
        if (pipe.is_cut_early) pipe.is_cut = true;
      }
    } else if (pipe.ended) {
      pipe.result = std::move(pipe.ended);
    } else {
      co_await pipe.input.wait(seen, std::chrono::hours(24));
    }
  }
}

}  // namespace det::simulation
