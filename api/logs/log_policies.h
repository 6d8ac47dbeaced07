#pragma once

// Holds lines of a trial's log against the log_policies of its experiment's configuration, and writes down what
// follows: nodes that its next runs avoid (exclude_node), failures that are not tried again (cancel_retries). The
// reconciler reads it in the trial's row. Belongs to the io thread; the stores outlive it.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/bounded_map.h"
#include "base/log.h"
#include "base/pattern.h"
#include "base/result.h"
#include "base/task.h"
#include "store/experiments/experiment_store.h"
#include "store/logs/log_chunk.h"
#include "store/trials/trial_store.h"

namespace det::api {

// One policy of a frozen configuration.
class CompiledLogPolicy {
 public:
  // A pattern that is not a regular expression matches nothing; `trouble` says why.
  CompiledLogPolicy(std::string name, std::string pattern, std::string action);

  [[nodiscard]] bool matches(std::string_view line) const;
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
// The first match of each policy on each node. Lines that print the policies themselves do not count.
[[nodiscard]] std::vector<LogMatch> find_matches(const std::vector<CompiledLogPolicy>& policies,
                                                 const std::vector<store::LogLine>& lines);

class LogPolicies {
 public:
  LogPolicies(store::TrialStore& trials, store::ExperimentStore& experiments)
      : trials_(trials), experiments_(experiments) {}

  // What these lines of the task bring about: written down, and said in lines for its log. Lines that could not be
  // looked at are logged and forgotten: a log must not fail for its policies.
  Task<std::vector<store::LogLine>> look(std::string task_id, const std::vector<store::LogLine>& lines, WallTime now);
  // When the state of an experiment has changed: one that is continued may have other policies.
  void forget(model::ExperimentId experiment) {
    known_.erase_if([experiment](const std::string&, const Known& one) { return one.experiment == experiment; });
  }
  void forget_all() { known_.clear(); }

 private:
  struct Known {
    model::TrialId trial;
    model::ExperimentId experiment;
    std::vector<CompiledLogPolicy> policies;
    std::unordered_set<std::string> done;  // what has been written down
  };
  Task<Result<Known*>> known(std::string task_id);

  store::TrialStore& trials_;
  store::ExperimentStore& experiments_;
  BoundedMap<std::string, Known> known_{5'000};  // by task
  Logger log_{"log-policies"};
};

}  // namespace det::api
