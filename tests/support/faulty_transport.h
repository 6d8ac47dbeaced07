#pragma once

// Wraps any HttpTransport (the fake API server, or libcurl towards a real one) and makes it fail on demand. Requests
// are matched by a part of "METHOD /path?query". Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <variant>

#include "base/async.h"
#include "base/clock.h"
#include "base/http_client.h"

namespace det::test {

class FaultyTransport final : public HttpTransport {
 public:
  FaultyTransport(HttpTransport& inner, asio::any_io_executor executor, Clock& clock);

  // The next `times` matching requests get this answer and never reach the server.
  void answer_next(std::string match, HttpResponse response, int times = 1);
  // The next matching request is lost on its way there, or its answer on the way back.
  void lose_request(std::string match);
  void lose_answer(std::string match);
  // The next matching request reaches the server so much later.
  void delay_next(std::string match, std::chrono::milliseconds delay);
  // Every stream that is open breaks.
  void cut_streams() { cut_.notify_all(); }
  // The next matching stream breaks after so many bytes of its body, most likely inside a line.
  void cut_stream_after(std::string match, std::size_t bytes);

  [[nodiscard]] std::size_t unused_faults() const { return faults_.size(); }
  [[nodiscard]] std::size_t open_streams() const { return open_streams_; }

  Task<Result<HttpResponse>> send(HttpRequest request) override;
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override;

 private:
  struct LoseRequest {};
  struct LoseAnswer {};
  struct Delay {
    std::chrono::milliseconds by;
  };
  struct CutAfter {
    std::size_t bytes;
  };
  struct None {};
  using Kind = std::variant<None, HttpResponse, LoseRequest, LoseAnswer, Delay, CutAfter>;
  struct Fault {
    std::string match;
    Kind kind;
  };
  [[nodiscard]] Kind take_fault(const HttpRequest& request);
  Task<void> stream_into(HttpRequest request, BodySink sink, std::optional<Result<HttpResponse>>& result);
  Task<void> wait_for_cut(std::uint64_t seen);

  HttpTransport& inner_;
  Clock& clock_;
  Signal cut_;
  std::deque<Fault> faults_;
  std::size_t open_streams_ = 0;
};

}  // namespace det::test
