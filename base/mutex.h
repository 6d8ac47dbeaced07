#pragma once

// A mutex of which the compiler knows what it guards: a member with DET_GUARDED_BY(mutex_) that is touched without the
// lock, or a DET_REQUIRES(mutex_) function called without it, does not compile (clang's thread safety analysis, which
// the standard library's own mutex does not take part in). CMakeLists.txt switches the analysis on for the files that
// include this one. Product code uses these and no std::mutex; tests/structure holds it to both.

#include <chrono>
#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define DET_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define DET_THREAD_ATTRIBUTE(x)
#endif

#define DET_GUARDED_BY(mutex) DET_THREAD_ATTRIBUTE(guarded_by(mutex))
#define DET_REQUIRES(mutex) DET_THREAD_ATTRIBUTE(requires_capability(mutex))
#define DET_EXCLUDES(mutex) DET_THREAD_ATTRIBUTE(locks_excluded(mutex))

namespace det {

class DET_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() DET_THREAD_ATTRIBUTE(acquire_capability()) { native_.lock(); }
  void unlock() DET_THREAD_ATTRIBUTE(release_capability()) { native_.unlock(); }

 private:
  friend class Condition;
  std::mutex native_;
};

// Holds a mutex as long as it lives.
class DET_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) DET_THREAD_ATTRIBUTE(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() DET_THREAD_ATTRIBUTE(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits for another thread. Either wait may return for no reason: call it in a loop that looks at what is waited for,
// which the analysis sees there, as it would not in a predicate's lambda.
class Condition {
 public:
  void notify_one() { native_.notify_one(); }
  void notify_all() { native_.notify_all(); }

  // Gives the mutex up while it waits, and holds it again afterwards.
  void wait(Mutex& mutex) DET_REQUIRES(mutex) {
    std::unique_lock held(mutex.native_, std::adopt_lock);
    native_.wait(held);
    held.release();
  }
  // The same, until `deadline` at the latest. False: it has passed.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) DET_REQUIRES(mutex) {
    std::unique_lock held(mutex.native_, std::adopt_lock);
    const bool in_time = native_.wait_until(held, deadline) == std::cv_status::no_timeout;
    held.release();
    return in_time;
  }

 private:
  std::condition_variable native_;
};

}  // namespace det
