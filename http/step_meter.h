#pragma once

// How much CPU time of the io thread a connection takes: its coroutine runs on an executor that looks at the clock
// before and after each step. Belongs to the io thread. The clock of the thread's CPU time costs a system call and
// more, which was a tenth of a small request; a step of less than kShort is counted by the time that passed, for longer
// ones the thread's clock says how much of that was its own.

#include <ctime>

#include <algorithm>
#include <memory>
#include <utility>

#include <boost/asio/any_io_executor.hpp>

namespace det::http {

class StepMeter {
 public:
  struct Taken {
    double seconds = 0;
    double longest = 0;  // step
  };
  // Counts while it lives. Steps inside a step are part of it.
  class Step {
   public:
    explicit Step(StepMeter& meter) : meter_(meter) {
      if (meter_.depth_++ == 0) meter_.begin();
    }
    ~Step() {
      if (--meter_.depth_ == 0) meter_.count();
    }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    StepMeter& meter_;
  };

  // Since it was last asked.
  Taken take() {
    if (depth_ > 0) count();
    return std::exchange(taken_, {});
  }

 private:
  static constexpr double kShort = 0.001;  // seconds

  static double read(clockid_t clock) {
    timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  void begin() {
    since_ = read(CLOCK_MONOTONIC);
    if (since_ - read_at_ <= kShort) return;
    read_at_ = since_;
    cpu_ = read(CLOCK_THREAD_CPUTIME_ID);
  }
  void count() {
    const double at = read(CLOCK_MONOTONIC);
    double taken = at - since_;
    if (at - read_at_ > kShort) {
      const double before = std::exchange(cpu_, read(CLOCK_THREAD_CPUTIME_ID));
      taken = std::min(taken, cpu_ - before);
      read_at_ = at;
    }
    taken_.seconds += taken;
    taken_.longest = std::max(taken_.longest, taken);
    since_ = at;
  }

  int depth_ = 0;
  double since_ = 0;    // when the step began
  double read_at_ = 0;  // when the thread's clock was read
  double cpu_ = 0;      // what it said
  Taken taken_;
};

// Runs everything on `inner`, within a Step of the meter.
class MeteredExecutor {
 public:
  MeteredExecutor(boost::asio::any_io_executor inner, std::shared_ptr<StepMeter> meter) noexcept
      : inner_(std::move(inner)), meter_(std::move(meter)) {}

  bool operator==(const MeteredExecutor& other) const noexcept {
    return inner_ == other.inner_ && meter_ == other.meter_;
  }

  template <typename Property>
    requires(boost::asio::can_query_v<const boost::asio::any_io_executor&, Property>)
  auto query(const Property& property) const -> decltype(auto) {
    return boost::asio::query(inner_, property);
  }
  template <typename Property>
    requires(boost::asio::can_require_v<const boost::asio::any_io_executor&, Property>)
  MeteredExecutor require(const Property& property) const {
    return {boost::asio::require(inner_, property), meter_};
  }
  template <typename Property>
    requires(boost::asio::can_prefer_v<const boost::asio::any_io_executor&, Property>)
  MeteredExecutor prefer(const Property& property) const {
    return {boost::asio::prefer(inner_, property), meter_};
  }
  template <typename Function>
  void execute(Function&& function) const {
    inner_.execute([function = std::forward<Function>(function), meter = meter_]() mutable {
      const StepMeter::Step step(*meter);
      std::move(function)();
    });
  }

 private:
  boost::asio::any_io_executor inner_;
  std::shared_ptr<StepMeter> meter_;
};

}  // namespace det::http
