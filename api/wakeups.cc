#include "api/wakeups.h"

#include <sstream>

#include "store/channels.h"

namespace det::api {

namespace {

std::string key_of(std::string_view channel, std::string_view what) {
  return std::string(channel) + ":" + std::string(what);
}

}  // namespace

std::string Wakeups::allocation_key(std::string_view allocation_id) {
  return key_of(store::kAllocationChannel, allocation_id);
}

std::string Wakeups::log_key(std::int64_t task_number) {
  return key_of(store::kLogChannel, std::to_string(task_number));
}

std::string Wakeups::trial_key(std::int64_t trial_id) {
  return key_of(store::kStateChannel, "t" + std::to_string(trial_id));
}

std::string Wakeups::task_key(const std::string& task_id) {
  return key_of(store::kTaskChannel, task_id);
}

std::string Wakeups::experiment_key(std::int64_t experiment_id) {
  return key_of(store::kStateChannel, "e" + std::to_string(experiment_id));
}

std::string Wakeups::runner_key(std::int64_t experiment_id) {
  return key_of(store::kRunnerChannel, std::to_string(experiment_id));
}

void Wakeups::on_notify(const std::string& told, const std::string& payload) {
  // Whoever waits for a change of an allocation waits for its end as well.
  const std::string channel = told == store::kAllocationEndChannel ? store::kAllocationChannel : told;
  std::istringstream words(payload);
  bool any = false;
  for (std::string word; words >> word; any = true) wake(key_of(channel, word));
  if (any) return;
  const std::string prefix = key_of(channel, "");
  for (auto at = watches_.lower_bound(prefix); at != watches_.end() && at->first.starts_with(prefix); ++at) {
    at->second->signal_.notify_all();
  }
}

void Wakeups::wake_all() {
  for (const auto& [key, watch] : watches_) watch->signal_.notify_all();
}

void Wakeups::wake(const std::string& key) {
  const auto [first, last] = watches_.equal_range(key);
  for (auto at = first; at != last; ++at) at->second->signal_.notify_all();
}

Wakeups::Watch::Watch(Wakeups& wakeups, std::vector<std::string> keys)
    : wakeups_(wakeups), keys_(std::move(keys)), signal_(wakeups.executor_) {
  for (const std::string& key : keys_) wakeups_.watches_.emplace(key, this);
}

Wakeups::Watch::~Watch() {
  for (const std::string& key : keys_) {
    const auto [first, last] = wakeups_.watches_.equal_range(key);
    for (auto at = first; at != last; ++at) {
      if (at->second == this) {
        wakeups_.watches_.erase(at);
        break;
      }
    }
  }
}

}  // namespace det::api
