#pragma once

// What many ask for at once and is the same for all of them, such as the curves of a search that a whole team watches,
// is read once for all who wait. Nobody is given what is older than the question: who comes while it is read waits for
// the next reading. Whether a caller may see it is to be known before. Belongs to the io thread; the clock outlives it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"

namespace det::api {

class SharedAnswers {
 public:
  // After a reading that several waited for: so many times as long as it took, but no longer than kLongestPause. Who
  // asks alone never waits.
  static constexpr int kPauses = 16;
  static constexpr std::chrono::milliseconds kLongestPause{250};
  // So long one waits for somebody else's reading, which may wait for that one's turn; then the next caller reads, too.
  static constexpr std::chrono::seconds kPatience{2};

  using Answer = Result<std::shared_ptr<const std::string>>;
  using Read = std::function<Task<Result<std::string>>()>;

  SharedAnswers(asio::any_io_executor executor, Clock& clock, std::chrono::nanoseconds patience = kPatience)
      : executor_(std::move(executor)), clock_(clock), patience_(patience) {}

  // What `read` gives, of this caller or of another one with the same key; also its error.
  Task<Answer> get(std::string key, Read read);
  // Keys that somebody asks for, or asked for a moment ago.
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    explicit Entry(const asio::any_io_executor& executor) : changed(executor) {}

    Signal changed;
    std::size_t callers = 0;
    std::size_t readings = 0;  // at this moment
    std::uint64_t begun = 0;   // readings
    SteadyTime begun_at;       // the last of them
    std::uint64_t ended = 0;   // the number of the newest reading that came to its end
    std::optional<Answer> answer;
    SteadyTime next_at;  // no reading begins before
  };
  class Caller;
  class Reading;

  Task<Answer> lead(std::shared_ptr<Entry> entry, Read read);
  // Keys that were asked for a moment ago are known only as long as that matters.
  void forget();

  asio::any_io_executor executor_;
  Clock& clock_;
  std::chrono::nanoseconds patience_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

}  // namespace det::api
