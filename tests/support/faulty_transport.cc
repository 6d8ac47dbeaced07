#include "tests/support/faulty_transport.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/race.h"
#include "tests/support/fake_transport.h"

namespace det::test {
namespace {

std::unexpected<Error> lost() {
  return fail(ErrorCode::kUnavailable, "the connection was lost");
}

}  // namespace

FaultyTransport::FaultyTransport(HttpTransport& inner, asio::any_io_executor executor, Clock& clock)
    : inner_(inner), clock_(clock), cut_(std::move(executor)) {}

void FaultyTransport::answer_next(std::string match, HttpResponse response, int times) {
  for (int i = 0; i < times; ++i) faults_.push_back({.match = match, .kind = response});
}
void FaultyTransport::lose_request(std::string match) {
  faults_.push_back({.match = std::move(match), .kind = LoseRequest{}});
}
void FaultyTransport::lose_answer(std::string match) {
  faults_.push_back({.match = std::move(match), .kind = LoseAnswer{}});
}
void FaultyTransport::delay_next(std::string match, std::chrono::milliseconds delay) {
  faults_.push_back({.match = std::move(match), .kind = Delay{delay}});
}
void FaultyTransport::cut_stream_after(std::string match, std::size_t bytes) {
  faults_.push_back({.match = std::move(match), .kind = CutAfter{bytes}});
}

FaultyTransport::Kind FaultyTransport::take_fault(const HttpRequest& request) {
  const std::string text = request.method + " " + path_of_url(request.url);
  const auto found = std::ranges::find_if(faults_, [&](const Fault& fault) { return text.contains(fault.match); });
  if (found == faults_.end()) return None{};
  Kind kind = std::move(found->kind);
  faults_.erase(found);
  return kind;
}

Task<Result<HttpResponse>> FaultyTransport::send(HttpRequest request) {
  const Kind fault = take_fault(request);
  if (const auto* response = std::get_if<HttpResponse>(&fault)) co_return *response;
  if (std::holds_alternative<LoseRequest>(fault)) co_return lost();
  if (const auto* delay = std::get_if<Delay>(&fault)) co_await clock_.sleep_for(delay->by);
  auto answer = co_await inner_.send(std::move(request));
  if (std::holds_alternative<LoseAnswer>(fault)) co_return lost();
  co_return answer;
}

Task<void> FaultyTransport::stream_into(HttpRequest request, BodySink sink,
                                        std::optional<Result<HttpResponse>>& result) {
  result.emplace(co_await inner_.stream(std::move(request), std::move(sink)));
}

Task<void> FaultyTransport::wait_for_cut(std::uint64_t seen) {
  while (cut_.version() == seen) co_await cut_.wait(seen, std::chrono::hours(24));
}

Task<Result<HttpResponse>> FaultyTransport::stream(HttpRequest request, BodySink sink) {
  const Kind fault = take_fault(request);
  if (const auto* response = std::get_if<HttpResponse>(&fault)) co_return *response;
  if (std::holds_alternative<LoseRequest>(fault)) co_return lost();
  std::optional<std::size_t> left;
  if (const auto* cut = std::get_if<CutAfter>(&fault)) left = cut->bytes;
  BodySink limited = [&left, &sink](std::string_view bytes) {
    if (!left) return sink(bytes);
    const auto passed = bytes.substr(0, *left);
    *left -= passed.size();
    return sink(passed) && *left > 0;
  };
  struct Open {
    std::size_t& count;
    ~Open() { --count; }
  };
  const Open open{++open_streams_};
  std::optional<Result<HttpResponse>> result;
  auto running = stream_into(std::move(request), std::move(limited), result);
  auto cutting = wait_for_cut(cut_.version());
  co_await first_of(std::move(running), std::move(cutting));
  if (!result || (left && *left == 0)) co_return lost();
  co_return std::move(*result);
}

}  // namespace det::test
