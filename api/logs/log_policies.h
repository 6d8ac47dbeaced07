#pragma once

// Holds lines of a trial's log against the log_policies of its experiment's configuration, and writes down what
// follows: nodes that its next runs avoid (exclude_node), failures that are not tried again (cancel_retries). The
// reconciler reads it in the trial's row. Belongs to the io thread, which itself looks for little more than plain text
// in few lines: patterns are strangers', and so are lines. The stores and the pool outlive it.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json_fwd.hpp>

#include "base/bounded_map.h"
#include "base/log.h"
#include "base/pattern.h"
#include "base/result.h"
#include "base/task.h"
#include "base/turns.h"
#include "store/experiments/experiment_store.h"
#include "store/logs/log_chunk.h"
#include "store/trials/trial_store.h"

namespace det::api {

// One policy of a frozen configuration.
class CompiledLogPolicy {
 public:
  // A pattern that is not a regular expression matches nothing; `trouble` says why.
  CompiledLogPolicy(std::string name, std::string pattern, std::string action);

  // `is_whole` becomes false where the line is too long for a pattern as large as this, and only its beginning was
  // looked at.
  [[nodiscard]] bool matches(std::string_view line, bool& is_whole) const;
  // It is text, which is found as fast as a line is read. Patterns may take a millisecond a byte.
  [[nodiscard]] bool is_literal() const { return !literal_.empty(); }
  [[nodiscard]] const std::string& trouble() const { return trouble_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& pattern() const { return pattern_; }
  [[nodiscard]] const std::string& action() const { return action_; }  // "exclude_node", "cancel_retries", "" for none

 private:
  std::string name_;
  std::string pattern_;
  std::string action_;
  std::string literal_;  // what the pattern looks for when it is plain text between ".*"; then there is no regex
  std::shared_ptr<const Pattern> regex_;
  std::string trouble_;
};

[[nodiscard]] std::vector<CompiledLogPolicy> read_log_policies(const nlohmann::json& config);

// A policy and the line that it matched; both as long as what they were found in.
struct LogMatch {
  const CompiledLogPolicy* policy = nullptr;
  std::string node;
  std::string line;
};
struct LogMatches {
  std::vector<LogMatch> found;
  bool is_whole = true;  // everything was looked at
};
// The first match of each policy on each node, of up to 100. Lines that print the policies themselves do not count.
// Policies that are plain text are looked for in all lines, others for as long as `patience`.
[[nodiscard]] LogMatches find_matches(const std::vector<CompiledLogPolicy>& policies,
                                      const std::vector<store::LogLine>& lines, std::chrono::nanoseconds patience);

class LogPolicies {
 public:
  LogPolicies(store::TrialStore& trials, store::ExperimentStore& experiments, asio::thread_pool& workers)
      : trials_(trials), experiments_(experiments), workers_(workers) {}

  // What these lines of the task bring about: written down, and said in lines for its log, as it is said once that
  // there was too much to look at. Lines that could not be looked at are logged and forgotten: a log must not fail for
  // its policies. The lines outlive the call.
  Task<std::vector<store::LogLine>> look(std::string task_id, const std::vector<store::LogLine>& lines, WallTime now);
  // When the state of an experiment has changed: one that is continued may have other policies.
  void forget(model::ExperimentId experiment) {
    ++forgets_;
    known_.erase_if([experiment](const std::string&, const auto& one) { return one->experiment == experiment; });
  }
  void forget_all() {
    ++forgets_;
    known_.clear();
  }
  // At the workers, by task; also for what else looks at lines there.
  [[nodiscard]] Turns& turns() { return turns_; }

 private:
  struct Known {
    model::TrialId trial;
    model::ExperimentId experiment;
    std::vector<CompiledLogPolicy> policies;
    std::unordered_set<std::string> done;  // what has been written down
  };
  Task<Result<std::shared_ptr<Known>>> known(std::string task_id);
  Task<LogMatches> match(std::string task_id, const Known& known, const std::vector<store::LogLine>& lines);

  store::TrialStore& trials_;
  store::ExperimentStore& experiments_;
  asio::thread_pool& workers_;
  Turns turns_{1};
  BoundedMap<std::string, std::shared_ptr<Known>> known_{5'000};  // by task
  std::uint64_t forgets_ = 0;
  Logger log_{"log-policies"};
};

}  // namespace det::api
