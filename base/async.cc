#include "base/async.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/redirect_error.hpp>

#include "base/check.h"
#include "base/log.h"

namespace det {

struct Signal::Waiter {
  asio::steady_timer timer;
};

Signal::Signal(asio::any_io_executor executor) : executor_(std::move(executor)) {}

Signal::~Signal() {
  DET_CHECK(waiters_.empty(), "a coroutine still waits for this signal");
}

void Signal::notify_all() {
  ++version_;
  for (Waiter* waiter : waiters_) waiter->timer.cancel();
}

Task<bool> Signal::wait(std::uint64_t seen, std::chrono::nanoseconds timeout) {
  // Cancellation throws out of the await: the list must forget the waiter on every way out.
  struct Listed {
    std::list<Waiter*>& list;
    std::list<Waiter*>::iterator place;
    ~Listed() { list.erase(place); }
  };
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (version_ == seen && std::chrono::steady_clock::now() < deadline) {
    Waiter waiter{asio::steady_timer(executor_, deadline)};
    const Listed listed{waiters_, waiters_.insert(waiters_.end(), &waiter)};
    boost::system::error_code ignored;
    co_await waiter.timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  co_return version_ != seen;
}

struct TaskGroup::Member {
  std::string name;
  asio::cancellation_signal stop;
};

TaskGroup::TaskGroup(asio::any_io_executor executor) : executor_(executor), empty_(executor) {}

TaskGroup::~TaskGroup() {
  DET_CHECK(members_.empty(), "a task group was destroyed before its members had returned");
}

void TaskGroup::spawn(std::string name, Task<void> task) {
  members_.push_back(std::make_unique<Member>());
  const auto place = std::prev(members_.end());
  Member& member = **place;
  member.name = std::move(name);
  auto done = [this, place](std::exception_ptr thrown) {
    if (thrown) {
      try {
        std::rethrow_exception(thrown);
      } catch (const boost::system::system_error& e) {
        if (e.code() != asio::error::operation_aborted) {
          log_fatal("a background task threw", {{"task", (*place)->name}, {"what", e.what()}});
        }
      } catch (const std::exception& e) {
        log_fatal("a background task threw", {{"task", (*place)->name}, {"what", e.what()}});
      }
    }
    members_.erase(place);
    if (members_.empty()) empty_.notify_all();
  };
  asio::co_spawn(executor_, std::move(task), asio::bind_cancellation_slot(member.stop.slot(), std::move(done)));
}

void TaskGroup::cancel() {
  // A member may return while it is told to stop, which removes it from the list: tell each one from the loop instead.
  for (const auto& member : members_) {
    Member* m = member.get();
    asio::post(executor_, [this, m] {
      for (const auto& alive : members_) {
        if (alive.get() == m) {
          m->stop.emit(asio::cancellation_type::all);
          return;
        }
      }
    });
  }
}

Task<void> TaskGroup::join() {
  while (!members_.empty()) {
    const auto seen = empty_.version();
    co_await empty_.wait(seen, std::chrono::hours(24));
  }
}

}  // namespace det
