#pragma once

// Writes the status subresource of our objects, when it says something new. Belongs to the io thread.

#include <chrono>
#include <optional>
#include <string>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "k8sclient/client.h"

namespace det::op {

// Merge-patches `wanted` over `before`: fields that left are removed. Nothing is sent when they are equal. An object
// that is gone is success.
Task<Status> write_status(k8s::Client& client, k8s::Resource resource, k8s::ObjectKey key, nlohmann::json before,
                          nlohmann::json wanted);

// The merge patch that turns `before` into `after`; an empty object when they are equal.
[[nodiscard]] nlohmann::json merge_diff(const nlohmann::json& before, const nlohmann::json& after);

// When the status of which object is to be written, so that the API server is not told each step of a quick change: a
// transition is written once things have been quiet for a moment, what only moves on (progress, counts) now and then,
// the end at once. Belongs to one reconciler.
class StatusPace {
 public:
  // How long to wait before `wanted` is written over `before`, the copy we have; zero: write now. Nothing when there is
  // nothing to write: they are equal, or it was written and our copy is behind.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> delay(const std::string& key, const nlohmann::json& before,
                                                              const nlohmann::json& wanted, bool is_end,
                                                              SteadyTime now);
  // Whether `status`, the JSON text that a watch brought of the object, is another than the one last wanted: a call of
  // a former leader may arrive late, of an object that nobody looks at again. That our copy may be behind is forgotten
  // then. False for an object whose status was not decided yet.
  [[nodiscard]] bool is_foreign(const std::string& key, const std::string& status);
  void written(const std::string& key, const nlohmann::json& before, const nlohmann::json& wanted, SteadyTime now);
  void forget(const std::string& key) { known_.erase(key); }

 private:
  struct Known {
    std::optional<SteadyTime> unsettled_since;
    std::optional<SteadyTime> written;
    std::size_t step = 0;    // hash of what was written over what
    std::size_t wanted = 0;  // hash of the text that the status is to have
  };
  std::unordered_map<std::string, Known> known_;
};

inline constexpr std::chrono::milliseconds kSettleTime{250};
inline constexpr std::chrono::seconds kProgressInterval{5};

}  // namespace det::op
