#pragma once

// The few coroutine tools that everything else is made of. All of them belong to the io thread unless said otherwise.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/task.h"

namespace det {

// Cancellation unwinds a coroutine: its next await throws system_error(operation_aborted), destructors clean up, and
// only the TaskGroup that spawned it catches. No other code catches operation_aborted.

// Hands a job to whoever runs it, once, later: not before this returns.
using Post = std::function<void(std::move_only_function<void()> job)>;

// Runs `work` where `post` hands it to and resumes here, on the caller's executor, with what it returned. `work` must
// not touch state of the io thread, must not throw, and is not interrupted by cancellation. Whoever runs it has done so
// before the io_context goes.
template <typename Work>
Task<std::invoke_result_t<Work>> run_by(Post post, Work work) {
  using R = std::invoke_result_t<Work>;
  static_assert(!std::is_void_v<R>, "return Status from work that has nothing to say");
  auto start = [post = std::move(post)](auto handler, Work body) {
    auto back = asio::get_associated_executor(handler);
    post([back, handler = std::move(handler), body = std::move(body)]() mutable {
      auto resume = [handler = std::move(handler), value = body()]() mutable { std::move(handler)(std::move(value)); };
      asio::post(back, std::move(resume));
    });
  };
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(R)>(start, asio::use_awaitable,
                                                                                  std::move(work));
}

template <typename Work>
Task<std::invoke_result_t<Work>> run_on(asio::thread_pool& pool, Work work) {
  return run_by([&pool](std::move_only_function<void()> job) { asio::post(pool, std::move(job)); }, std::move(work));
}

// A wake-up that many coroutines may wait for: each notify_all() resumes everyone who waits at that moment. A waiter
// that must not miss one reads `version()` before it looks at the state it waits for and passes it to wait().
class Signal {
 public:
  explicit Signal(asio::any_io_executor executor);
  ~Signal();
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  [[nodiscard]] std::uint64_t version() const { return version_; }
  void notify_all();
  // Returns true when the version is no longer `seen` (at once if it already is not), false at the deadline.
  Task<bool> wait(std::uint64_t seen, std::chrono::nanoseconds timeout);

 private:
  struct Waiter;
  asio::any_io_executor executor_;
  std::uint64_t version_ = 0;
  std::list<Waiter*> waiters_;
};

// Coroutines that belong together: shutdown cancels all of them and waits until the last has returned. What escapes a
// member as an exception is a bug of that member: it is logged with its name and the process aborts, so that nothing
// dies in silence.
class TaskGroup {
 public:
  explicit TaskGroup(asio::any_io_executor executor);
  ~TaskGroup();  // the group must be empty
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  void spawn(std::string name, Task<void> task);
  // Asks every member to stop; members see it as cancellation at their next await.
  void cancel();
  [[nodiscard]] std::size_t size() const { return members_.size(); }
  // Returns when the last member has. Usually after cancel().
  Task<void> join();

 private:
  struct Member;
  asio::any_io_executor executor_;
  std::list<std::unique_ptr<Member>> members_;
  Signal empty_;
};

}  // namespace det
