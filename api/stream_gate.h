#pragma once

// How many long answers of a kind are under way: each holds some memory for as long as its client takes, and one that
// waited for another would wait for a stranger's client. Belongs to the io thread.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace det::api {

class StreamGate {
 public:
  static constexpr std::size_t kMost = 16;
  static constexpr std::size_t kMostOfAccount = 4;

  // `what`: several of them, for the error.
  explicit StreamGate(std::string_view what) : what_(what) {}

  // It counts while this lives.
  class Pass {
   public:
    Pass(StreamGate* gate, std::string account) : gate_(gate), account_(std::move(account)) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)), account_(std::move(other.account_)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->leave(account_);
    }

   private:
    StreamGate* gate_;
    std::string account_;
  };

  // kResourceExhausted while too many are under way.
  Result<Pass> enter(const std::string& account) {
    const auto own = under_way_.find(account);
    if (own != under_way_.end() && own->second >= kMostOfAccount) {
      return fail(ErrorCode::kResourceExhausted,
                  std::to_string(kMostOfAccount) + " " + what_ +
                      " of yours are under way; begin another one when one of them has ended");
    }
    if (total_ >= kMost) {
      return fail(ErrorCode::kResourceExhausted, std::to_string(kMost) + " " + what_ +
                                                     " are under way, which is all that this server does at once; "
                                                     "try again later");
    }
    ++total_;
    ++under_way_[account];
    return Pass(this, account);
  }

 private:
  void leave(const std::string& account) {
    --total_;
    const auto own = under_way_.find(account);
    if (--own->second == 0) under_way_.erase(own);
  }

  std::string what_;
  std::size_t total_ = 0;
  std::map<std::string, std::size_t> under_way_;
};

}  // namespace det::api
