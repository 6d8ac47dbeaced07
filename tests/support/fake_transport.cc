#include "tests/support/fake_transport.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace det::test {

std::string path_of_url(const std::string& url) {
  const auto host = url.find("://");
  const auto path = url.find('/', host == std::string::npos ? 0 : host + 3);
  return path == std::string::npos ? "/" : url.substr(path);
}

FakeTransport::FakeTransport(asio::any_io_executor executor, Clock& clock)
    : clock_(clock), never_(std::move(executor)) {}

void FakeTransport::add(Step step) {
  step.delay = std::exchange(next_delay_, std::chrono::milliseconds::zero());
  script_.push_back(std::move(step));
}

void FakeTransport::answer(int status, const nlohmann::json& body, HttpHeaders headers) {
  answer(HttpResponse{.status = status, .headers = std::move(headers), .body = body.dump()});
}

void FakeTransport::answer(HttpResponse response) {
  add({.response = std::move(response), .chunks = {}, .end = {}});
}

void FakeTransport::fail_with(ErrorCode code, std::string message) {
  add({.response = fail(code, std::move(message)), .chunks = {}, .end = {}});
}

void FakeTransport::stream_chunks(std::vector<std::string> chunks, StreamEnd end, std::chrono::milliseconds pause) {
  stream_answer({.status = 200, .headers = {}, .body = {}}, std::move(chunks), end, pause);
}

void FakeTransport::stream_answer(HttpResponse head, std::vector<std::string> chunks, StreamEnd end,
                                  std::chrono::milliseconds pause) {
  add({.response = std::move(head), .chunks = std::move(chunks), .end = end, .pause = pause});
}

std::vector<std::string> FakeTransport::asked() const {
  std::vector<std::string> all;
  for (const auto& request : requests_) all.push_back(request.method + " " + path_of_url(request.url));
  return all;
}

Task<void> FakeTransport::wait_for_ever() {
  for (;;) {
    const auto seen = never_.version();
    co_await never_.wait(seen, std::chrono::hours(24));
  }
}

Task<FakeTransport::Step> FakeTransport::next(HttpRequest request) {
  requests_.push_back(std::move(request));
  if (script_.empty()) co_await wait_for_ever();
  Step step = std::move(script_.front());
  script_.pop_front();
  co_await clock_.sleep_for(step.delay);
  co_return step;
}

Task<Result<HttpResponse>> FakeTransport::send(HttpRequest request) {
  return run(std::move(request), {});
}

Task<Result<HttpResponse>> FakeTransport::stream(HttpRequest request, BodySink sink) {
  return run(std::move(request), std::move(sink));
}

Task<Result<HttpResponse>> FakeTransport::run(HttpRequest request, BodySink sink) {
  const auto idle = request.idle_timeout;
  const auto on_head = request.on_head;
  Step step = co_await next(std::move(request));
  if (!step.end || !sink) co_return std::move(step.response);
  const bool is_told = on_head && step.response->status < 300;
  if (is_told && !on_head(*step.response)) co_return fail(ErrorCode::kCanceled, "the reader ended it");
  if (step.chunks.empty()) co_await clock_.sleep_for(step.pause);
  for (const auto& chunk : step.chunks) {
    co_await clock_.sleep_for(step.pause);
    if (!sink(chunk)) co_return fail(ErrorCode::kCanceled, "the reader ended it");
  }
  if (*step.end == StreamEnd::kBreaks) co_return fail(ErrorCode::kUnavailable, "the connection was lost");
  if (*step.end == StreamEnd::kEnds) co_return std::move(step.response);
  if (!idle) co_await wait_for_ever();
  co_await clock_.sleep_for(*idle);
  co_return fail(ErrorCode::kDeadlineExceeded, "nothing came");
}

}  // namespace det::test
