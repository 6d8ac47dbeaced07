#include "searcher/custom_search.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "searcher/event_json.h"
#include "searcher/rung_json.h"

namespace det::searcher {
namespace {

using nlohmann::json;

std::unexpected<Error> refuse(std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message));
}

// The trial that a wish is about; nothing for Shutdown.
std::optional<RequestId> trial_of(const Decision& wish) {
  if (const auto* create = std::get_if<Create>(&wish.action)) return create->request_id;
  if (const auto* work = std::get_if<ValidateAfter>(&wish.action)) return work->request_id;
  if (const auto* close = std::get_if<Close>(&wish.action)) return close->request_id;
  return std::nullopt;
}

// All wishes are for trials that are there, or that one before them creates.
Status check_trials(const TrialBooks& trials, const Commanded& event) {
  std::set<RequestId> created;
  for (const Decision& wish : event.wishes) {
    const auto id = trial_of(wish);
    if (!id) continue;
    if (std::holds_alternative<Create>(wish.action)) {
      created.insert(*id);
    } else if (!created.contains(*id) && !trials.find(*id)) {
      return refuse(not_of_this_search(to_string(*id)) + ": its runner has to create it first");
    }
  }
  return {};
}

bool is_gone(const TrialBooks& trials, RequestId id) {
  const auto trial = trials.find(id);
  return trial && trials.has(*trial, Mark::kClosed);
}

}  // namespace

Decisions CustomSearch::initial_trials(SearchContext& /*context*/) {
  return {};
}

Decisions CustomSearch::trial_created(SearchContext& /*context*/, TrialNumber /*trial*/) {
  return {};
}

Result<Decisions> CustomSearch::validated(SearchContext& /*context*/, TrialNumber /*trial*/, const json& /*metrics*/) {
  return Decisions();
}

Decisions CustomSearch::operation_completed(SearchContext& /*context*/, TrialNumber /*trial*/, double /*metric*/) {
  return {};
}

Decisions CustomSearch::exited_early(SearchContext& /*context*/, TrialNumber /*trial*/, ExitReason /*reason*/) {
  return {};
}

Decisions CustomSearch::exited(SearchContext& /*context*/, TrialNumber /*trial*/) {
  return {};
}

Decisions CustomSearch::told(const Event& event) {
  if (std::holds_alternative<Started>(event) && told_ > 0) return {};
  return {{.action = Tell{.number = ++told_, .event = to_json(event)}, .reason = "the search's runner decides"}};
}

Result<Decisions> CustomSearch::commanded(SearchContext& context, const Commanded& event) {
  if (event.number < 1 || event.number > told_) {
    return refuse("the search's runner was told nothing under the number " + std::to_string(event.number));
  }
  if (event.number <= answered_) return Decisions();
  // A runner that ends the search has gone by now, and nobody would answer in its place: what is wrong beside that is
  // left out.
  const bool ends = std::ranges::any_of(
      event.wishes, [](const Decision& wish) { return std::holds_alternative<Shutdown>(wish.action); });
  if (!ends) DET_TRY(check_trials(context.trials, event));
  answered_ = event.number;
  if (event.progress) progress_ = *event.progress;
  Decisions decisions;
  const Reason why("the search's runner answered #", event.number);
  for (const Decision& wish : event.wishes) {
    const auto id = trial_of(wish);
    Decision decision{.action = wish.action, .reason = why};
    if (auto* create = std::get_if<Create>(&decision.action)) {
      if (context.trials.find(create->request_id)) continue;
      context.trials.enter(create->request_id);
      create->trial_seed = kCustomTrialSeed;
    } else if (id && is_gone(context.trials, *id)) {
      continue;  // it ended while its runner thought
    } else if (id && !context.trials.find(*id)) {
      continue;  // it never was
    }
    const bool is_over = std::holds_alternative<Shutdown>(decision.action);
    decisions.push_back(std::move(decision));
    if (is_over) break;
  }
  return decisions;
}

double CustomSearch::progress(const TrialBooks& /*trials*/) const {
  return progress_;
}

json CustomSearch::state(const TrialBooks& /*trials*/) const {
  return {{"search_method_type", "custom_search"},
          {"SearcherEventQueue", {{"custom_searcher_event_count", told_}, {"answered", answered_}}},
          {"CustomSearchProgress", progress_}};
}

Status CustomSearch::restore(SearchContext& /*context*/, const json& state) {
  const auto malformed = [] { return fail(ErrorCode::kDataLoss, "the snapshot is not that of a custom search"); };
  if (!state.is_object() || state.value("search_method_type", json()) != "custom_search") return malformed();
  const json queue = state.value("SearcherEventQueue", json());
  const json progress = state.value("CustomSearchProgress", json());
  if (!queue.is_object() || !progress.is_number()) return malformed();
  const auto told = count_at(queue, "custom_searcher_event_count");
  const auto answered = count_at(queue, "answered");
  if (!told || !answered) return malformed();
  told_ = *told;
  answered_ = *answered;
  progress_ = progress.get<double>();
  return {};
}

}  // namespace det::searcher
