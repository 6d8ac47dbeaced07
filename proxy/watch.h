#pragma once

// Looks after connections that wait: one round a second over all of them costs less than a timer for each wait. Belongs
// to the io thread.

#include <chrono>
#include <list>

#include "base/clock.h"
#include "base/task.h"

namespace det::proxy {

class Watch {
 public:
  // Something that is looked at in each round while it lives.
  class Watched {
   public:
    explicit Watched(Watch& watch) : watch_(watch), place_(watch.all_.insert(watch.all_.end(), this)) {}
    virtual ~Watched() {
      if (watch_.next_ == place_) ++watch_.next_;
      watch_.all_.erase(place_);
    }
    Watched(const Watched&) = delete;
    Watched& operator=(const Watched&) = delete;
    // May end the life of others, and its own.
    virtual void look(SteadyTime now) = 0;

   private:
    Watch& watch_;
    std::list<Watched*>::iterator place_;
  };

  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void look(SteadyTime now) {
    for (next_ = all_.begin(); next_ != all_.end();) {
      Watched* const one = *next_;
      ++next_;
      one->look(now);
    }
    next_ = all_.end();
  }
  // Until cancelled.
  Task<void> run(Clock& clock) {
    for (;;) {
      co_await clock.sleep_for(std::chrono::seconds(1));
      look(clock.steady_now());
    }
  }

 private:
  std::list<Watched*> all_;
  std::list<Watched*>::iterator next_ = all_.end();
};

}  // namespace det::proxy
