#include "api/logs/log_policies.h"

#include <algorithm>
#include <cstring>

#include <nlohmann/json.hpp>

#include "api/logs/log_quote.h"
#include "base/guarded_work.h"

namespace det::api {
namespace {

constexpr std::size_t kLongestQuote = 300;
constexpr std::size_t kMostMatches = 100;     // of one post, whose lines come from one node
constexpr std::chrono::seconds kPatience{2};  // with one post, where patterns are slow
// Bytes of lines, for each policy, and what a line costs besides: more would hold up everybody else.
constexpr std::size_t kLookedAtAtOnce = std::size_t{1} << 20;
constexpr std::size_t kLineCosts = 64;
constexpr std::string_view kTooMuch =
    "some lines were not held against all log policies, because their patterns take too long: simpler patterns, or "
    "plain text, are looked for in every line";
constexpr std::string_view kAny = ".*";
// Lines in which a program prints its configuration, as upstream leaves them out.
constexpr std::string_view kPoliciesThemselves = "\"log_policies\":";

// The text of a pattern that has nothing but text between ".*"; empty when it has more.
std::string literal_of(std::string_view pattern) {
  while (pattern.starts_with(kAny)) pattern.remove_prefix(kAny.size());
  while (pattern.ends_with(kAny)) pattern.remove_suffix(kAny.size());
  return pattern.find_first_of("\\^$.|?*+()[]{}") == std::string_view::npos ? std::string(pattern) : std::string();
}

bool is_quick(const std::vector<CompiledLogPolicy>& policies, const std::vector<store::LogLine>& lines) {
  if (!std::ranges::all_of(policies, &CompiledLogPolicy::is_literal)) return false;
  std::size_t cost = 0;
  for (const store::LogLine& line : lines) {
    cost += (line.text.size() + kLineCosts) * policies.size();
    if (cost > kLookedAtAtOnce) return false;
  }
  return true;
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

bool CompiledLogPolicy::matches(std::string_view line, bool& is_whole) const {
  if (is_literal()) return ::memmem(line.data(), line.size(), literal_.data(), literal_.size()) != nullptr;
  if (!regex_) return false;
  const std::string_view part = regex_->affordable(line);
  if (part.size() < line.size()) is_whole = false;
  return regex_->found_in(part);
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

LogMatches find_matches(const std::vector<CompiledLogPolicy>& policies, const std::vector<store::LogLine>& lines,
                        std::chrono::nanoseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  bool is_late = false;
  LogMatches matches;
  for (const store::LogLine& line : lines) {
    const std::string_view text = without_end(line.text);
    for (const CompiledLogPolicy& policy : policies) {
      const auto is_known = [&](const LogMatch& one) { return one.policy == &policy && one.node == line.agent_id; };
      if (std::ranges::any_of(matches.found, is_known)) continue;
      if (!policy.is_literal()) {
        is_late = is_late || std::chrono::steady_clock::now() > deadline;
        if (is_late) matches.is_whole = false;
        if (is_late) continue;
      }
      if (!policy.matches(text, matches.is_whole) || text.find(kPoliciesThemselves) != std::string_view::npos) continue;
      if (matches.found.size() == kMostMatches) {
        matches.is_whole = false;
        return matches;
      }
      matches.found.push_back({.policy = &policy, .node = line.agent_id, .line = quote_line(text, kLongestQuote)});
    }
  }
  return matches;
}

Task<Result<std::shared_ptr<LogPolicies::Known>>> LogPolicies::known(std::string task_id) {
  if (const auto* found = known_.find(task_id)) co_return *found;
  const std::uint64_t seen = forgets_;
  auto trial = co_await trials_.find_by_task(task_id);
  DET_CO_TRY(trial);
  auto fresh = std::make_shared<Known>();
  // Only trials have policies.
  if (*trial) {
    auto experiment = co_await experiments_.find((*trial)->experiment);
    DET_CO_TRY(experiment);
    fresh->trial = (*trial)->id;
    fresh->experiment = (*trial)->experiment;
    if (*experiment) {
      auto work = [&config = (*experiment)->config] { return read_log_policies(config); };
      fresh->policies = co_await run_guarded(workers_, std::move(work));
    }
  }
  // What was read before something was to be forgotten is for this once.
  if (seen == forgets_) known_.put(task_id, fresh);
  co_return fresh;
}

Task<LogMatches> LogPolicies::match(std::string task_id, const Known& known, const std::vector<store::LogLine>& lines) {
  if (known.policies.empty()) co_return LogMatches();
  if (is_quick(known.policies, lines)) co_return find_matches(known.policies, lines, kPatience);
  const auto turn = co_await turns_.wait(task_id);
  auto work = [&known, &lines] { return find_matches(known.policies, lines, kPatience); };
  co_return co_await run_guarded(workers_, std::move(work));
}

Task<std::vector<store::LogLine>> LogPolicies::look(std::string task_id, const std::vector<store::LogLine>& lines,
                                                    WallTime now) {
  std::vector<store::LogLine> said;
  const auto found = co_await known(task_id);
  if (!found) co_return said;
  // `found` keeps it: what is remembered may be forgotten meanwhile.
  const std::shared_ptr<Known>& known = *found;
  // Experiments accepted before RE2 was used may hold such patterns; new ones are refused.
  for (const CompiledLogPolicy& policy : known->policies) {
    if (policy.trouble().empty() || !known->done.insert(policy.pattern()).second) continue;
    said.push_back(warning("log policy '" + policy.name() + "' is not used: its pattern " + policy.pattern() +
                               " is not a regular expression that can be matched in linear time: " + policy.trouble(),
                           now));
  }
  const LogMatches matches = co_await match(task_id, *known, lines);
  if (!matches.is_whole && known->done.insert(std::string(kTooMuch)).second) {
    said.push_back(warning(std::string(kTooMuch), now));
  }
  for (const LogMatch& one : matches.found) {
    const std::string& action = one.policy->action();
    if (action == "exclude_node" && one.node.empty()) continue;
    const std::string key = action + "\n" + one.node + "\n" + one.policy->pattern();
    if (known->done.contains(key)) continue;
    const std::string why = action.empty() ? std::string() : consequence(one);
    const store::LogVerdictChange change{.policy = one.policy->name(),
                                         .excluded_node = action == "exclude_node" ? one.node : std::string(),
                                         .cancels_retries = action == "cancel_retries",
                                         .why = why};
    const auto is_new = co_await trials_.note_log_verdict(known->trial, change);
    if (!is_new) {
      log_.warn("what a log policy asks for was not written down",
                {{"trial", known->trial.value}, {"error", is_new.error().message}});
      continue;
    }
    known->done.insert(key);
    if (*is_new && !why.empty()) said.push_back(warning(why, now));
  }
  co_return said;
}

}  // namespace det::api
