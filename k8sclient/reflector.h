#pragma once

// Keeps up with one collection: an explicit state machine over list and watch.
//   kListing -> kWatching(resource version) -> (ends) kWatching | (410) kListing | (fails) back off, then as before
// Bookmarks move the resource version on without an event. Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "k8sclient/client.h"

namespace det::k8s {

struct ReflectorOptions {
  Resource resource;
  std::string ns;
  std::string label_selector;
  std::string field_selector;
  std::chrono::milliseconds first_backoff{200};
  std::chrono::milliseconds max_backoff{30'000};
  std::chrono::seconds watch_timeout{300};  // after which the server ends a watch
  std::chrono::seconds idle_timeout{90};    // > the server's bookmark interval (about 60 s)
};

// What the owner of the copy must do.
struct ReflectorSink {
  std::function<void()> begin_list;                                   // a list starts, perhaps anew
  std::function<void(const std::vector<nlohmann::json>&)> take_page;  // some of what there is
  std::function<void()> end_list;                                     // what was taken is everything
  std::function<void(const nlohmann::json&)> upsert;
  std::function<void(const nlohmann::json&)> remove;
};

class Reflector {
 public:
  enum class State : std::uint8_t { kListing, kWatching };

  Reflector(Client& client, Clock& clock, ReflectorOptions options);
  Task<void> run(ReflectorSink sink);  // ends by cancellation

  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] const std::string& resource_version() const { return resource_version_; }
  // Lists after the first one.
  [[nodiscard]] std::uint64_t relists() const { return relists_; }

 private:
  // Each returns the error to back off from, if any.
  Task<std::optional<Error>> list(const ReflectorSink& sink);
  Task<std::optional<Error>> watch(const ReflectorSink& sink);
  void take(const ReflectorSink& sink, const WatchEvent& event);
  Task<void> back_off(Error error);

  Client& client_;
  Clock& clock_;
  ReflectorOptions options_;
  Logger log_;
  State state_ = State::kListing;
  std::string resource_version_;
  std::uint64_t relists_ = 0;
  int failures_ = 0;
};

}  // namespace det::k8s
