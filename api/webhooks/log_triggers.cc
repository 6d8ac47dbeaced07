#include "api/webhooks/log_triggers.h"

#include <algorithm>
#include <utility>

#include "api/logs/log_quote.h"
#include "base/guarded_work.h"
#include "base/pattern.h"

namespace det::api {
namespace {

constexpr std::chrono::seconds kBelieved{60};  // a project may have moved to another workspace
constexpr std::chrono::seconds kPatience{1};   // with one post of lines
constexpr std::size_t kLongestQuote = 1'000;
// Lines in which a program prints its configuration, which may hold the expression.
constexpr std::string_view kConfiguration = "\"log_policies\":";

}  // namespace

Findings find_in_lines(const std::vector<store::LogTrigger>& triggers, const std::vector<store::LogLine>& lines,
                       std::chrono::nanoseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  Findings findings;
  for (const store::LogTrigger& trigger : triggers) {
    const auto pattern = Pattern::compile(trigger.regex);
    if (!pattern) continue;
    for (const store::LogLine& line : lines) {
      if (std::chrono::steady_clock::now() > deadline) {
        findings.is_whole = false;
        return findings;
      }
      const std::string_view text = without_end(line.text);
      const std::string_view part = (*pattern)->affordable(text);
      if (part.size() < text.size()) findings.is_whole = false;
      if (!(*pattern)->found_in(part) || text.find(kConfiguration) != std::string_view::npos) continue;
      findings.found.push_back({.trigger = trigger.id, .node = line.agent_id, .line = quote_line(text, kLongestQuote)});
      break;
    }
  }
  return findings;
}

Task<Result<std::vector<store::LogTrigger>>> LogTriggers::triggers_of(std::string task_id) {
  const SteadyTime now = clock_.steady_now();
  if (const Known* known = known_.find(task_id); known != nullptr && now - known->asked_at < kBelieved) {
    co_return known->triggers;
  }
  auto triggers = co_await events_.log_triggers(task_id);
  DET_CO_TRY(triggers);
  known_.put(task_id, Known{.triggers = *triggers, .asked_at = now});
  co_return triggers;
}

// The turn ends before the database is asked.
Task<Findings> LogTriggers::match(std::string task_id, const std::vector<store::LogTrigger>& triggers,
                                  const std::vector<store::LogLine>& lines, Turns& turns) {
  const auto turn = co_await turns.wait(std::move(task_id));
  auto work = [&triggers, &lines] { return find_in_lines(triggers, lines, kPatience); };
  co_return co_await run_guarded(workers_, std::move(work));
}

Task<void> LogTriggers::look(std::string task_id, const std::vector<store::LogLine>& lines, Turns& turns) {
  const auto triggers = co_await triggers_of(task_id);
  if (!triggers || triggers->empty() || lines.empty()) co_return;
  auto findings = co_await match(task_id, *triggers, lines, turns);
  if (!findings.is_whole) {
    log_.warn("webhooks' expressions took too long: some lines were not looked at", {{"task", task_id}});
  }
  if (findings.found.empty()) co_return;
  const auto told = co_await events_.found_in_log(task_id, std::move(findings.found));
  if (!told) {
    log_.warn("what webhooks look for was found and not written down",
              {{"task", task_id}, {"error", told.error().message}});
    co_return;
  }
  if (Known* known = known_.find(task_id)) {
    std::erase_if(known->triggers, [&told](const store::LogTrigger& trigger) {
      return std::ranges::find(*told, trigger.id) != told->end();
    });
  }
}

}  // namespace det::api
