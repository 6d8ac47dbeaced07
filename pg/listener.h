#pragma once

// LISTEN on a connection of its own, so that processes tell each other what changed. A notification is a hint, never
// the fact: whoever gets one reads the database, and after every (re)connection everything is read again, because what
// was sent in between is lost. Belongs to the io thread; run() is one coroutine of the caller's task group.

#include <functional>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"

namespace det::pg {

class Listener {
 public:
  using OnNotify = std::function<void(const std::string& channel, const std::string& payload)>;
  using OnConnect = std::function<void()>;

  // Channels are plain identifiers ([a-z_]+). Both callbacks run on the io thread; on_connect also after the first
  // connection. Clock outlives the listener.
  Listener(Clock& clock, std::string url, std::vector<std::string> channels, OnNotify on_notify, OnConnect on_connect);

  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Listens until cancelled; connects again with backoff (0.1 s to 5 s) whenever the connection is lost.
  Task<void> run();

 private:
  // Returns why it ended.
  Task<Error> listen_once(bool* was_connected);

  Clock& clock_;
  std::string url_;
  std::vector<std::string> channels_;
  OnNotify on_notify_;
  OnConnect on_connect_;
  asio::thread_pool connecting_;  // libpq resolves names and connects in a blocking way
};

}  // namespace det::pg
