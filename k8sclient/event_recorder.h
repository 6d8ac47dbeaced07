#pragma once

// Tells people what happened to an object: core/v1 Events, which `kubectl describe` and `kubectl events` show. A repeat
// of the same event raises the count of the one that is there. publish() never waits: events stand in a bounded queue
// that run() sends on; when it is full the new ones are dropped and counted. Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include <nlohmann/json_fwd.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "k8sclient/client.h"
#include "k8sclient/resource.h"

namespace det::k8s {

// The object an event is about.
struct EventSubject {
  Resource resource;
  ObjectKey key;
  std::string uid;

  bool operator==(const EventSubject&) const = default;
};

enum class EventType : std::uint8_t { kNormal, kWarning };

class EventRecorder {
 public:
  // `component` is shown as the source ("From"), e.g. "det-operator".
  EventRecorder(Client& client, Clock& clock, asio::any_io_executor executor, std::string component);

  // `reason` is one CamelCase word for machines, `message` a sentence for people (cut at 1,024 bytes) without secrets.
  void publish(EventSubject subject, EventType type, std::string reason, std::string message);
  // Sends what was published, for ever; ends by cancellation. An event that cannot be sent is logged and forgotten.
  Task<void> run();

  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  // One distinct event: subject, type, reason and message.
  struct Series {
    EventSubject subject;
    EventType type = EventType::kNormal;
    std::string reason;
    std::string message;
    ObjectKey name;  // of the Event object; empty name: not created yet
    WallTime first{};
    WallTime last{};
    std::uint64_t count = 0;
    bool queued = false;
    SteadyTime touched{};
  };

  Task<void> send(std::string id);
  Task<Status> create(const Series& series);
  Task<Status> raise_count(const Series& series);
  [[nodiscard]] nlohmann::json body(const Series& series) const;
  void forget_old();

  Client& client_;
  Clock& clock_;
  std::string component_;
  Logger log_;
  Signal published_;
  std::deque<std::string> queue_;  // ids of series that have something to send
  std::unordered_map<std::string, Series> series_;
  std::uint64_t next_name_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace det::k8s
