#pragma once

// Something that is read from elsewhere and believed for a while, by many who ask at the same time: one of them reads,
// the others wait for it. After a failure nobody asks again for a moment, and what was known before goes on being
// believed, up to a day. Belongs to the io thread; the clock outlives it.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"

namespace det::api {

template <typename T>
class SharedRead {
 public:
  using Value = std::shared_ptr<const T>;
  using Read = std::function<Task<Result<T>>()>;

  SharedRead(asio::any_io_executor executor, Clock& clock) : clock_(clock), ended_(std::move(executor)) {}

  // What was read no longer ago than `max_age`; else what `read` gives now. `read` must end by itself.
  Task<Result<Value>> get(Read read, std::chrono::seconds max_age) {
    for (;;) {
      const SteadyTime now = clock_.steady_now();
      if (value_ && now - read_at_ < max_age) co_return value_;
      if (error_ && now - failed_at_ < kPause) co_return known_or_error();
      if (!is_reading_) break;
      co_await ended_.wait(ended_.version(), kPatience);
    }
    const Reading reading(*this);
    auto answer = co_await read();
    if (answer) {
      value_ = std::make_shared<const T>(*std::move(answer));
      read_at_ = clock_.steady_now();
      error_.reset();
      co_return value_;
    }
    error_ = std::move(answer).error();
    failed_at_ = clock_.steady_now();
    co_return known_or_error();
  }

 private:
  static constexpr std::chrono::seconds kPause{5};
  static constexpr std::chrono::seconds kPatience{30};
  static constexpr std::chrono::hours kStale{24};

  // Whoever reads may be cancelled: the next one reads then.
  class Reading {
   public:
    explicit Reading(SharedRead& read) : read_(read) { read_.is_reading_ = true; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() {
      read_.is_reading_ = false;
      read_.ended_.notify_all();
    }

   private:
    SharedRead& read_;
  };

  [[nodiscard]] Result<Value> known_or_error() const {
    if (value_ && clock_.steady_now() - read_at_ < kStale) return value_;
    return std::unexpected(*error_);
  }

  Clock& clock_;
  Signal ended_;
  Value value_;
  SteadyTime read_at_{};
  std::optional<Error> error_;
  SteadyTime failed_at_{};
  bool is_reading_ = false;
};

}  // namespace det::api
