#pragma once

// A PodApi that answers from memory and keeps every status it was sent. Belongs to the io thread.

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/async.h"
#include "local/agent/pod_api.h"

namespace det::local::test {

class FakePodApi final : public PodApi {
 public:
  explicit FakePodApi(asio::any_io_executor executor) : changed_(executor) {}

  std::map<std::string, KeyValues> config_maps;
  std::map<std::string, KeyValues> secrets;
  std::map<std::string, ClaimedFolder> claims;
  std::vector<nlohmann::json> statuses;
  std::vector<std::string> events;  // "reason: message"
  std::deque<Error> refusals;       // of the next statuses
  int answers_after_turns = 0;      // of the io thread: how long a status is under way

  Task<Result<KeyValues>> config_map(std::string, std::string name) override { return find(config_maps, name); }
  Task<Result<KeyValues>> secret(std::string, std::string name) override { return find(secrets, name); }
  Task<Result<ClaimedFolder>> claimed_folder(std::string, std::string name) override { return find(claims, name); }
  Task<Result<std::string>> account_token(PodId pod, std::string account, std::string, std::int64_t) override {
    co_return "token-of-" + account + "-for-" + pod.name;
  }
  Task<Status> patch_status(PodId, nlohmann::json status) override {
    for (int turn = 0; turn < answers_after_turns; ++turn) co_await asio::post(asio::use_awaitable);
    if (!refusals.empty()) co_return std::unexpected(next_refusal());
    statuses.push_back(std::move(status));
    changed_.notify_all();
    co_return Status();
  }
  Task<Status> remove(PodId) override { co_return Status(); }
  void publish_event(PodId, bool, std::string reason, std::string message) override {
    events.push_back(reason + ": " + message);
    changed_.notify_all();
  }

  // Returns when the newest status fulfils `holds`.
  template <typename Predicate>
  Task<bool> wait_until(Predicate holds) {
    for (;;) {
      const auto seen = changed_.version();
      if (!statuses.empty() && holds(statuses.back())) co_return true;
      if (!co_await changed_.wait(seen, std::chrono::seconds(30))) co_return false;
    }
  }

 private:
  Error next_refusal() {
    Error error = std::move(refusals.front());
    refusals.pop_front();
    return error;
  }
  template <typename T>
  static Task<Result<T>> find(const std::map<std::string, T>& objects, std::string name) {
    const auto it = objects.find(name);
    if (it == objects.end()) co_return fail(ErrorCode::kNotFound, "\"" + name + "\" not found");
    co_return it->second;
  }
  Signal changed_;
};

// The pod's condition of that type; null when it has none.
inline nlohmann::json condition(const nlohmann::json& status, const std::string& type) {
  for (const nlohmann::json& each : status["conditions"]) {
    if (each["type"] == type) return each;
  }
  return nullptr;
}

}  // namespace det::local::test
