#pragma once

// An HttpTransport that answers by script and records what was asked. Answers are used in the order in which they were
// added, one per request; a request beyond the script waits until it is cancelled. Belongs to the io thread.

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/http_client.h"

namespace det::test {

// How a scripted stream goes on after its last chunk.
enum class StreamEnd : std::uint8_t {
  kEnds,    // the body ends as it should
  kBreaks,  // the connection is lost
  kIdles,   // nothing comes any more: the request's idle deadline cuts it (or it hangs, if it has none)
};

class FakeTransport final : public HttpTransport {
 public:
  FakeTransport(asio::any_io_executor executor, Clock& clock);

  void answer(int status, const nlohmann::json& body, HttpHeaders headers = {});
  void answer(HttpResponse response);
  void fail_with(ErrorCode code, std::string message);
  // A 200 whose body comes in these chunks, `pause` apart; one that has none ends after a pause.
  void stream_chunks(std::vector<std::string> chunks, StreamEnd end,
                     std::chrono::milliseconds pause = std::chrono::milliseconds::zero());
  // The same of an answer with another status, or with headers.
  void stream_answer(HttpResponse head, std::vector<std::string> chunks, StreamEnd end,
                     std::chrono::milliseconds pause = std::chrono::milliseconds::zero());
  // The next answer added comes so much later.
  void delay_next(std::chrono::milliseconds delay) { next_delay_ = delay; }

  [[nodiscard]] const std::vector<HttpRequest>& requests() const { return requests_; }
  // "METHOD /path?query" of each request.
  [[nodiscard]] std::vector<std::string> asked() const;
  [[nodiscard]] std::size_t unused_answers() const { return script_.size(); }

  Task<Result<HttpResponse>> send(HttpRequest request) override;
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override;

 private:
  struct Step {
    Result<HttpResponse> response;
    std::vector<std::string> chunks;
    std::optional<StreamEnd> end;
    std::chrono::milliseconds pause{0};
    std::chrono::milliseconds delay{0};
  };
  void add(Step step);
  Task<Step> next(HttpRequest request);
  Task<void> wait_for_ever();
  Task<Result<HttpResponse>> run(HttpRequest request, BodySink sink);

  Clock& clock_;
  Signal never_;
  std::deque<Step> script_;
  std::chrono::milliseconds next_delay_{0};
  std::vector<HttpRequest> requests_;
};

// The part of a URL behind the host: "/api/v1/pods?watch=1".
[[nodiscard]] std::string path_of_url(const std::string& url);

}  // namespace det::test
