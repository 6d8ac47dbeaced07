#include "api/logs/log_policies.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace det::api {
namespace {

constexpr std::size_t kLongestQuote = 300;
constexpr std::string_view kAny = ".*";
// Lines in which a program prints its configuration, as upstream leaves them out.
constexpr std::string_view kPoliciesThemselves = "\"log_policies\":";

// The text of a pattern that has nothing but text between ".*"; empty when it has more.
std::string literal_of(std::string_view pattern) {
  while (pattern.starts_with(kAny)) pattern.remove_prefix(kAny.size());
  while (pattern.ends_with(kAny)) pattern.remove_suffix(kAny.size());
  return pattern.find_first_of("\\^$.|?*+()[]{}") == std::string_view::npos ? std::string(pattern) : std::string();
}

std::string_view without_end(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

store::LogLine warning(std::string text, WallTime now) {
  store::LogLine line;
  line.time = now;
  line.level = store::LineLevel::kWarning;
  line.text = std::move(text) + "\n";
  return line;
}

// The sentence that people who used Determined know.
std::string consequence(const LogMatch& match) {
  const std::string why = "(log '\"" + match.line + "\"' matched regex " + match.policy->pattern() + ") therefore ";
  if (match.policy->action() == "exclude_node") return why + "will not schedule on " + match.node;
  return why + "will not retry on failure";
}

}  // namespace

CompiledLogPolicy::CompiledLogPolicy(std::string name, std::string pattern, std::string action)
    : name_(std::move(name)), pattern_(std::move(pattern)), action_(std::move(action)), literal_(literal_of(pattern_)) {
  if (!literal_.empty()) return;
  auto compiled = Pattern::compile(pattern_);
  if (compiled) {
    regex_ = std::move(*compiled);
  } else {
    trouble_ = compiled.error().message;
  }
}

bool CompiledLogPolicy::matches(std::string_view line) const {
  if (!literal_.empty()) return line.find(literal_) != std::string_view::npos;
  return regex_ && regex_->found_in(line);
}

std::vector<CompiledLogPolicy> read_log_policies(const nlohmann::json& config) {
  std::vector<CompiledLogPolicy> policies;
  const auto found = config.is_object() ? config.find("log_policies") : config.end();
  if (!config.is_object() || found == config.end() || !found->is_array()) return policies;
  for (const nlohmann::json& policy : *found) {
    const auto text = [&](const char* key) {
      const auto value = policy.find(key);
      return value != policy.end() && value->is_string() ? value->get<std::string>() : std::string();
    };
    // One without a pattern only switches off a policy of a lower layer.
    if (policy.is_object() && !text("pattern").empty()) {
      policies.emplace_back(text("name"), text("pattern"), text("action"));
    }
  }
  return policies;
}

std::vector<LogMatch> find_matches(const std::vector<CompiledLogPolicy>& policies,
                                   const std::vector<store::LogLine>& lines) {
  std::vector<LogMatch> matches;
  for (const store::LogLine& line : lines) {
    const std::string_view text = without_end(line.text);
    for (const CompiledLogPolicy& policy : policies) {
      const auto is_known = [&](const LogMatch& one) { return one.policy == &policy && one.node == line.agent_id; };
      if (std::ranges::any_of(matches, is_known) || !policy.matches(text)) continue;
      if (text.find(kPoliciesThemselves) != std::string_view::npos) continue;
      matches.push_back({.policy = &policy, .node = line.agent_id, .line = std::string(text.substr(0, kLongestQuote))});
    }
  }
  return matches;
}

Task<Result<LogPolicies::Known*>> LogPolicies::known(std::string task_id) {
  if (Known* found = known_.find(task_id)) co_return found;
  auto trial = co_await trials_.find_by_task(task_id);
  DET_CO_TRY(trial);
  // Only trials have policies.
  if (!*trial) co_return &known_.put(task_id, Known());
  auto experiment = co_await experiments_.find((*trial)->experiment);
  DET_CO_TRY(experiment);
  Known fresh{.trial = (*trial)->id, .experiment = (*trial)->experiment, .policies = {}, .done = {}};
  if (*experiment) fresh.policies = read_log_policies((*experiment)->config);
  co_return &known_.put(task_id, std::move(fresh));
}

Task<std::vector<store::LogLine>> LogPolicies::look(std::string task_id, const std::vector<store::LogLine>& lines,
                                                    WallTime now) {
  std::vector<store::LogLine> said;
  const auto found = co_await known(task_id);
  if (!found) co_return said;
  const model::TrialId trial = (*found)->trial;
  // Experiments accepted before RE2 was used may hold such patterns; new ones are refused.
  for (const CompiledLogPolicy& policy : (*found)->policies) {
    if (policy.trouble().empty() || !(*found)->done.insert(policy.pattern()).second) continue;
    said.push_back(warning("log policy '" + policy.name() + "' is not used: its pattern " + policy.pattern() +
                               " is not a regular expression that can be matched in linear time: " + policy.trouble(),
                           now));
  }
  // A copy: what is remembered may be forgotten while the database is asked.
  const std::vector<CompiledLogPolicy> policies = (*found)->policies;
  for (const LogMatch& match : find_matches(policies, lines)) {
    const std::string& action = match.policy->action();
    if (action == "exclude_node" && match.node.empty()) continue;
    const std::string key = action + "\n" + match.node + "\n" + match.policy->pattern();
    const Known* remembered = known_.find(task_id);
    if (remembered != nullptr && remembered->done.contains(key)) continue;
    const std::string why = action.empty() ? std::string() : consequence(match);
    const store::LogVerdictChange change{.policy = match.policy->name(),
                                         .excluded_node = action == "exclude_node" ? match.node : std::string(),
                                         .cancels_retries = action == "cancel_retries",
                                         .why = why};
    const auto is_new = co_await trials_.note_log_verdict(trial, change);
    if (!is_new) {
      log_.warn("what a log policy asks for was not written down",
                {{"trial", trial.value}, {"error", is_new.error().message}});
      continue;
    }
    if (Known* again = known_.find(task_id)) again->done.insert(key);
    if (*is_new && !why.empty()) said.push_back(warning(why, now));
  }
  co_return said;
}

}  // namespace det::api
