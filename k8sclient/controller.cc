#include "k8sclient/controller.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/race.h"

namespace det::k8s {
namespace {

template <typename... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};

}  // namespace

Outcome look_at(std::optional<WallTime> deadline, Clock& clock, Outcome otherwise) {
  if (!deadline) return otherwise;
  constexpr std::chrono::milliseconds kAfter{20};
  const auto left = std::max<std::chrono::nanoseconds>(*deadline - clock.wall_now(), kAfter);
  return CheckAgain{left + kAfter};
}

Controller::Controller(std::string name, asio::any_io_executor executor, Clock& clock, Reconcile reconcile, int workers,
                       std::chrono::nanoseconds pause)
    : log_(Logger("controller").with({"controller", name})),
      reconcile_(std::move(reconcile)),
      workers_(workers),
      queue_(std::move(executor), clock, pause) {}

Task<void> Controller::run() {
  std::vector<Task<void>> tasks;
  tasks.push_back(queue_.run_timers());
  for (int i = 0; i < workers_; ++i) tasks.push_back(work());
  co_await all_of(std::move(tasks));
}

Task<void> Controller::work() {
  for (;;) {
    auto key = co_await queue_.get();
    if (!key) co_return;
    co_await run_one(std::move(*key));
  }
}

Task<void> Controller::run_one(std::string key) {
  // Also when cancellation unwinds the reconcile: a controller that runs again must not find the key taken for ever.
  struct Release {
    WorkQueue& queue;
    const std::string& key;
    ~Release() { queue.done(key); }
  };
  const Release release{queue_, key};
  const Logger log = log_.with({"key", key}).with({"reconcile", next_run_++});
  auto task = reconcile_(key, log);
  const auto outcome = co_await std::move(task);
  if (outcome) {
    succeeded(key, *outcome);
  } else {
    failed(key, outcome.error(), log);
  }
}

void Controller::succeeded(const std::string& key, const Outcome& outcome) {
  queue_.forget(key);
  std::visit(Overloaded{[&](const Done&) { ++stats_.done; },
                        [&](const CheckAgain& again) {
                          ++stats_.check_again;
                          queue_.add_after(key, again.after);
                        },
                        [&](const AwaitChange&) { ++stats_.await_change; }},
             outcome);
}

void Controller::failed(const std::string& key, const Error& error, const Logger& log) {
  ++stats_.failed;
  const LogFields fields{{"error", error.message}, {"code", to_string(error.code)}};
  // Somebody else wrote first: the normal course of optimistic locking.
  if (error.code == ErrorCode::kAborted) {
    log.debug("a reconcile met a conflict", fields);
  } else {
    log.warn("a reconcile failed", fields);
  }
  if (error.retry_after) {
    queue_.add_after(key, *error.retry_after);
  } else {
    queue_.add_rate_limited(key);
  }
}

}  // namespace det::k8s
