#pragma once

// Wakes handlers that wait for something in the database: long polls, log followers. Fed by pg::Listener (see main) and
// by this process itself. A wake-up is a hint: the handler reads the database again. Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"

namespace det::api {

class Wakeups {
 public:
  explicit Wakeups(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // From the listener: wakes who watches that channel's thing. An empty payload wakes everyone on the channel.
  void on_notify(const std::string& channel, const std::string& payload);
  // After a (re)connection: anything may have happened.
  void wake_all();

  // Watches several things at once while it lives. Ask version() first, read the database, then wait.
  class Watch {
   public:
    Watch(Wakeups& wakeups, std::vector<std::string> keys);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    [[nodiscard]] std::uint64_t version() const { return signal_.version(); }
    // True when woken since `seen`, false at the time-out.
    Task<bool> wait(std::uint64_t seen, std::chrono::nanoseconds timeout) { return signal_.wait(seen, timeout); }

   private:
    friend class Wakeups;
    Wakeups& wakeups_;
    std::vector<std::string> keys_;
    Signal signal_;
  };

  [[nodiscard]] static std::string allocation_key(std::string_view allocation_id);
  [[nodiscard]] static std::string log_key(std::int64_t task_number);
  [[nodiscard]] static std::string trial_key(std::int64_t trial_id);
  [[nodiscard]] static std::string task_key(const std::string& task_id);
  [[nodiscard]] static std::string experiment_key(std::int64_t experiment_id);
  // What the runner of a custom search is told.
  [[nodiscard]] static std::string runner_key(std::int64_t experiment_id);

 private:
  void wake(const std::string& key);

  asio::any_io_executor executor_;
  std::multimap<std::string, Watch*> watches_;
};

}  // namespace det::api
