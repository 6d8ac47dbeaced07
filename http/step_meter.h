#pragma once

// How much CPU time of the io thread a connection takes: its coroutine runs on an executor that looks at the thread's
// clock before and after each step. Belongs to the io thread.

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
      if (meter_.depth_++ == 0) meter_.since_ = now();
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
  static double now() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  void count() {
    const double at = now();
    taken_.seconds += at - since_;
    taken_.longest = std::max(taken_.longest, at - since_);
    since_ = at;
  }

  int depth_ = 0;
  double since_ = 0;
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
