#pragma once

// Many who ask for one value each, answered by few requests for many: what is asked while a request is under way goes
// into the next one. Nobody waits for others to come: the request in progress is the batching window. Belongs to the io
// thread.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/result.h"
#include "base/task.h"

namespace det {

template <typename Value>
class BatchedLookup {
 public:
  using Found = std::unordered_map<std::string, Value>;
  // The values of those keys that exist. An error is everyone's who is in the batch.
  using Fetch = std::function<Task<Result<Found>>(std::vector<std::string> keys)>;

  explicit BatchedLookup(Fetch fetch) : fetch_(std::move(fetch)) {}

  // Nothing when there is no such key. What is answered was read after the call.
  Task<Result<std::optional<Value>>> find(std::string key) {
    if (!gathering_) gathering_ = std::make_shared<Batch>(co_await asio::this_coro::executor);
    const std::shared_ptr<Batch> batch = gathering_;
    batch->keys.push_back(key);
    while (!batch->answer) {
      const auto seen = batch->changed.version();
      if (is_fetching_) {
        co_await batch->changed.wait(seen, std::chrono::hours(1));
      } else {
        co_await answer(batch);
      }
    }
    if (!*batch->answer) co_return std::unexpected(batch->answer->error());
    const auto found = (*batch->answer)->find(key);
    co_return found == (*batch->answer)->end() ? std::nullopt : std::optional<Value>(found->second);
  }

 private:
  struct Batch {
    explicit Batch(asio::any_io_executor executor) : changed(std::move(executor)) {}
    std::vector<std::string> keys;
    std::optional<Result<Found>> answer;
    Signal changed;
  };

  // Whoever fetches may be cancelled meanwhile: the next of its batch then does it.
  class Turn {
   public:
    Turn(BatchedLookup& lookup, std::shared_ptr<Batch> batch) : lookup_(lookup), batch_(std::move(batch)) {
      lookup_.is_fetching_ = true;
    }
    ~Turn() {
      lookup_.is_fetching_ = false;
      batch_->changed.notify_all();
      if (lookup_.gathering_) lookup_.gathering_->changed.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    BatchedLookup& lookup_;
    std::shared_ptr<Batch> batch_;
  };

  Task<void> answer(std::shared_ptr<Batch> batch) {
    const Turn turn(*this, batch);
    if (gathering_ == batch) gathering_.reset();
    batch->answer = co_await fetch_(batch->keys);
  }

  Fetch fetch_;
  std::shared_ptr<Batch> gathering_;  // takes further keys
  bool is_fetching_ = false;
};

}  // namespace det
