#include "operator/experiment/search_driver.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"
#include "model/expconf/experiment_config.h"
#include "operator/experiment/trial_widening.h"
#include "operator/trial/trial_end_events.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"
#include "searcher/replay.h"

namespace det::op {
namespace {

using nlohmann::json;
using searcher::Create;
using searcher::Event;
using searcher::Shutdown;

constexpr int kReplayPage = 2'000;  // events of the log that are in memory at once, or fewer that are large

// Average over the trials, or, where a search does not plan to train all of them to the end, its own estimate.
double progress_of(const searcher::Search& search, const json& config, const std::vector<store::TrialRow>& open,
                   const store::TrialCounts& counts) {
  const std::string name = get_string(get_any(config, "searcher"), "name");
  if (name == "async_halving" || name == "adaptive_asha" || name == "custom")
    return std::clamp(search.progress(), 0.0, 1.0);
  auto sum = static_cast<double>(counts.completed + counts.errored + counts.canceled);
  for (const auto& trial : open) sum += model::is_terminal(trial.state) ? 0 : trial.progress.value_or(0);
  return counts.total == 0 ? 0 : sum / static_cast<double>(counts.total);
}

// The state of a trial that ended early for `reason`, or in its time: events_of_end backwards.
model::TrialState state_after(std::optional<searcher::ExitReason> reason) {
  if (reason == searcher::ExitReason::kErrored) return model::TrialState::kError;
  if (reason == searcher::ExitReason::kUserCanceled) return model::TrialState::kCanceled;
  return model::TrialState::kCompleted;
}

bool may_be_stopped(model::TrialState state) {
  return state == model::TrialState::kActive || state == model::TrialState::kPaused;
}

const store::TrialRow* trial_named(const std::vector<store::TrialRow>& trials, const std::string& request_id) {
  const auto found = std::ranges::find(trials, request_id, &store::TrialRow::request_id);
  return found == trials.end() ? nullptr : &*found;
}

}  // namespace

bool is_lasting(const Error& error) {
  return error.code == ErrorCode::kInvalidArgument || error.code == ErrorCode::kDataLoss ||
         error.code == ErrorCode::kInternal;
}

void SearchDriver::Running::note(const Event& event, const searcher::Decisions& decisions) {
  if (const auto* exit = std::get_if<searcher::ExitedEarly>(&event))
    early.insert_or_assign(exit->request_id, exit->reason);
  if (const auto* exited = std::get_if<searcher::Exited>(&event); exited && closed.insert(exited->request_id).second) {
    const auto reason = early.extract(exited->request_id);
    ended.add(state_after(reason.empty() ? std::nullopt : std::optional(reason.mapped())));
  }
  if (const auto* made = std::get_if<searcher::TrialCreated>(&event)) created.insert(made->request_id);
  for (const auto& decision : decisions) {
    const auto* over = std::get_if<Shutdown>(&decision.action);
    if (over == nullptr) continue;
    is_over = true;
    shutdown = *over;
  }
}

bool SearchDriver::Running::knows_end_of(const store::TrialRow& trial) const {
  const auto id = searcher::parse_request_id(trial.request_id);
  return id && closed.contains(*id);
}

std::int64_t SearchDriver::Running::open_after(const Step& step, const std::vector<store::TrialRow>& trials) const {
  const auto is_open = [this](const store::TrialRow& trial) { return takes_a_place(trial) && has_made(trial); };
  return std::ranges::count_if(trials, is_open) + std::ssize(step.creates);
}

bool SearchDriver::Running::has_made(const store::TrialRow& trial) const {
  const auto id = searcher::parse_request_id(trial.request_id);
  return !id || created.contains(*id);
}

bool SearchDriver::Running::is_owed_end_of(const store::TrialRow& trial) const {
  return model::is_terminal(trial.state) && !knows_end_of(trial) && has_made(trial);
}

Status SearchDriver::take(Running& running, const Event& event, std::optional<std::int64_t> inbox_id, Step& step) {
  auto decisions = running.search.take(event);
  DET_TRY(decisions);
  running.note(event, *decisions);
  step.entries.push_back({.event = to_json(event), .decisions = to_json(*decisions), .inbox_id = inbox_id});
  if (const auto* exited = std::get_if<searcher::Exited>(&event)) step.closes.push_back(to_string(exited->request_id));
  for (const auto& decision : *decisions) {
    if (const auto* tell = std::get_if<searcher::Tell>(&decision.action)) {
      step.tells.push_back({.number = tell->number, .event = tell->event});
    }
    const auto* create = std::get_if<Create>(&decision.action);
    if (create == nullptr) continue;
    step.creates.push_back({.experiment = step.experiment,
                            .request_id = to_string(create->request_id),
                            .hparams = create->hparams.json(),
                            .seed = create->trial_seed});
    // Acknowledged before the next decision is looked at, as the search expects.
    if (Status known = take(running, searcher::TrialCreated{create->request_id}, std::nullopt, step); !known)
      return known;
  }
  return {};
}

Task<Result<std::shared_ptr<SearchDriver::Running>>> SearchDriver::restore(store::ExperimentRow experiment) {
  const bool rests = experiment.state == model::ExperimentState::kPaused;
  const std::shared_ptr<Running>* found = searches_.find(experiment.id, rests);
  if (found != nullptr && (*found)->uid == experiment.uid) co_return *found;
  auto config = model::read_experiment_config(experiment.config);
  DET_CO_TRY(config);
  auto fresh = searcher::search_of(experiment.config);
  if (!fresh) co_return std::unexpected(with_context(std::move(fresh).error(), "searcher"));
  auto running = std::make_shared<Running>(Running{.uid = experiment.uid,
                                                   .search = std::move(*fresh),
                                                   .plan = work_plan(config->searcher),
                                                   .most_at_once = trials_at_once(experiment.config)});
  searcher::Replay replay(running->search, 0);
  for (bool is_all = false; !is_all;) {
    auto page = co_await services_.stores.searcher.events(experiment.id, replay.seq(), kReplayPage);
    DET_CO_TRY(page);
    is_all = page->is_all;
    for (auto& entry : page->events) {
      // The log is what was acted on: a program that would decide otherwise must not go on from it.
      auto taken =
          replay.take({.seq = entry.seq, .event = std::move(entry.event), .decisions = std::move(entry.decisions)});
      if (!taken) {
        co_return std::unexpected(
            with_context(std::move(taken).error(), "replay the search of experiment " + to_string(experiment.id)));
      }
      if (taken->event) running->note(*taken->event, taken->decisions);
    }
  }
  running->seq = replay.seq();
  searches_.put(experiment.id, rests, running);
  co_return running;
}

void SearchDriver::take_input(Running& running, const store::PendingInput& item, SearchState& state, Step& step,
                              Logger log) {
  const std::string id = get_string(item.event, "request_id");
  const bool by_operations = running.plan.generation == searcher::Generation::kOperations;
  const store::TrialRow* trial = by_operations ? trial_named(state.trials, id) : nullptr;
  std::optional<std::int64_t> inbox_id = item.inbox_id;
  for (bool is_first = true;; is_first = false) {
    auto event = event_of_input(running.plan, running.search, trial, item.event);
    Status taken = event ? Status() : std::unexpected(event.error());
    if (event && *event) taken = take(running, **event, inbox_id, step);
    if (taken && *event) {
      inbox_id.reset();
      // Several operations can be answered by one validation, not by one result.
      if (!by_operations || get_string(item.event, "kind") != "validation") return;
      if (!std::exchange(running.has_noted, true)) state.note = measured_rungs_note(running.plan);
      continue;
    }
    if (!is_first) return;
    // It cannot be used, and would otherwise stand in the way for ever: the log keeps it, marked.
    const std::string why = taken ? "it says nothing to this search" : taken.error().message;
    const LogFields fields = {{"trial", id}, {"why", why}};
    if (taken || taken.error().code == ErrorCode::kFailedPrecondition) {
      log.debug("input was set aside", fields);
    } else {
      log.warn("input for the searcher was set aside", fields);
      state.complaints.push_back(why);
    }
    step.entries.push_back({.event = searcher::set_aside(id, why), .decisions = json::array(), .inbox_id = inbox_id});
    return;
  }
}

Status SearchDriver::widen(Running& running, const store::ExperimentRow& experiment,
                           const std::vector<store::TrialRow>& trials, Step& step) {
  if (running.is_over) return {};
  const std::int64_t accepted = get_integer(get_any(experiment.config, "searcher"), "max_concurrent_trials");
  const std::int64_t wanted = get_integer(experiment.live, "max_concurrent_trials");
  const auto part =
      next_widening(running.search, accepted, wanted, running.open_after(step, trials), running.most_at_once);
  if (!part) return {};
  const std::int64_t before = std::ssize(step.creates);
  DET_TRY(take(running, *part, std::nullopt, step));
  const auto rest = rest_of_widening(*part, wanted, std::ssize(step.creates) - before);
  return rest ? take(running, *rest, std::nullopt, step) : Status();
}

// A search that begins anew makes trials that have rows, of which some are over: their ends may bring others like them.
Status SearchDriver::tell_ends(Running& running, const std::vector<store::TrialRow>& trials, Step& step) {
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto& trial : trials) {
      if (!running.is_owed_end_of(trial)) continue;
      const auto events = events_of_end(running.plan, running.search, trial);
      DET_TRY(events);
      for (const Event& event : *events) DET_TRY(take(running, event, std::nullopt, step));
      goes_on = true;
    }
  }
  return {};
}

// Whether it went on with any of the first trials that were held back.
Result<bool> SearchDriver::release(Running& running, const std::vector<store::TrialRow>& trials, Step& step) {
  const bool is_first = running.seq == 0 && running.closed.empty();
  if (is_first || !running.search.holds_back()) return false;
  const std::int64_t room = kMostOpen - running.open_after(step, trials);
  if (room <= 0) return false;
  const std::size_t before = step.creates.size();
  DET_TRY(take(running, searcher::Released{.limit = std::min(room, running.most_at_once)}, std::nullopt, step));
  return step.creates.size() > before;
}

Result<SearchDriver::Step> SearchDriver::next_step(Running& running, const store::ExperimentRow& experiment,
                                                   const store::PendingInputPage& input,
                                                   const std::vector<store::TrialRow>& trials, SearchState& state,
                                                   Logger log) {
  Step step;
  step.experiment = experiment.id;
  step.first_seq = running.seq + 1;
  if (running.seq == 0) {
    const searcher::Started started{
        .limit = running.most_at_once, .is_counted = true, .is_counted_for_promotion = true};
    DET_TRY(take(running, started, std::nullopt, step));
    // Where nothing is held back the log is as it always was.
    if (!running.search.holds_back()) step.entries.front().event = to_json(Event(searcher::Started{}));
  }
  if (Status widened = widen(running, experiment, trials, step); !widened) {
    return std::unexpected(with_context(std::move(widened).error(), "widen the search"));
  }
  for (const auto& item : input.input) take_input(running, item, state, step, log);
  // A trial's end comes after all that it reported.
  for (bool goes_on = input.is_all; goes_on;) {
    Status told = tell_ends(running, trials, step);
    if (!told) return std::unexpected(with_context(std::move(told).error(), "tell the searcher of a trial's end"));
    const auto released = release(running, trials, step);
    if (!released) return std::unexpected(with_context(released.error(), "go on with the first trials"));
    const auto is_owed = [&running](const store::TrialRow& trial) { return running.is_owed_end_of(trial); };
    goes_on = *released && std::ranges::any_of(trials, is_owed);
  }
  return step;
}

Task<Status> SearchDriver::order_work(std::shared_ptr<Running> running, std::vector<store::TrialRow> trials,
                                      std::vector<model::TrialId>& ordered) {
  std::vector<store::WorkOrder> orders;
  for (const auto& trial : trials) {
    if (auto order = work_order(running->plan, running->search, trial)) orders.push_back(*order);
  }
  if (orders.empty()) co_return Status();
  for (const auto& order : orders) ordered.push_back(order.trial);
  co_return co_await services_.stores.trials.order_work(services_.epoch, std::move(orders));
}

Task<Result<SearchState>> SearchDriver::without_search(store::ExperimentRow experiment) {
  auto trials = co_await services_.stores.trials.open_of_experiment(experiment.id);
  DET_CO_TRY(trials);
  auto counts = co_await services_.stores.trials.counts(experiment.id);
  DET_CO_TRY(counts);
  SearchState state;
  state.trials = std::move(*trials);
  state.counts = *counts;
  state.progress = experiment.progress.value_or(0);
  co_return state;
}

Task<Status> SearchDriver::write(std::shared_ptr<Running> running, Step step) {
  if (step.entries.empty()) co_return Status();
  const model::ExperimentId experiment = step.experiment;
  const auto last = step.first_seq + std::ssize(step.entries) - 1;
  auto written = co_await services_.stores.searcher.append(services_.epoch, std::move(step));
  if (!written) {
    searches_.erase(experiment);  // the log decides; restore from it
    co_return std::unexpected(with_context(std::move(written).error(), "write the search's step"));
  }
  running->seq = last;
  co_return Status();
}

Task<Result<bool>> SearchDriver::make_step(std::shared_ptr<Running> running, store::ExperimentRow experiment,
                                           SearchState& state, Logger log) {
  // Trials are read before the input: what a trial reported last is processed before its end.
  auto trials = co_await services_.stores.trials.open_of_experiment(experiment.id);
  DET_CO_TRY(trials);
  auto input = co_await services_.stores.searcher.pending(experiment.id);
  DET_CO_TRY(input);
  state.trials = *trials;
  if (running->plan.generation == searcher::Generation::kOperations && !input->input.empty()) {
    // And after the input: a trial's first request for work, which tells its generation, comes before its first report.
    auto again = co_await services_.stores.trials.open_of_experiment(experiment.id);
    DET_CO_TRY(again);
    state.trials = std::move(*again);
  }
  // While an experiment is being ended its search rests: each trial that goes would bring another.
  if (model::is_stopping(experiment.state)) co_return true;
  auto step = next_step(*running, experiment, *input, *trials, state, log.with({"experiment", experiment.id.value}));
  if (!step) {
    searches_.erase(experiment.id);  // it may have taken in half of the step
    co_return std::unexpected(std::move(step).error());
  }
  const bool creates = !step->creates.empty();
  DET_CO_TRY(co_await write(running, std::move(*step)));
  if (creates) {
    trials = co_await services_.stores.trials.open_of_experiment(experiment.id);
    DET_CO_TRY(trials);
    state.trials = std::move(*trials);
  }
  co_return input->is_all;
}

Task<Result<SearchState>> SearchDriver::advance(store::ExperimentRow experiment, Logger log) {
  auto restored = co_await restore(experiment);
  // What is being ended asks its search nothing: one that cannot be read must not keep it from its end.
  if (!restored && model::is_stopping(experiment.state)) co_return co_await without_search(std::move(experiment));
  DET_CO_TRY(restored);
  const std::shared_ptr<Running> running = std::move(*restored);
  SearchState state;
  for (bool is_all = false; !is_all;) {
    const auto took_all = co_await make_step(running, experiment, state, log);
    DET_CO_TRY(took_all);
    is_all = *took_all;
  }
  // Of one that was continued the search makes the trials anew, as many at a time as it may.
  if (!model::is_stopping(experiment.state)) {
    std::erase_if(state.trials, [&running](const store::TrialRow& trial) { return !running->has_made(trial); });
  }
  auto ordered = co_await order_work(running, state.trials, state.ordered);
  if (!ordered) co_return std::unexpected(with_context(std::move(ordered).error(), "order the trials' work"));
  state.is_widened = running->search.width() > 0;
  state.counts = running->ended;
  for (const auto& trial : state.trials) {
    if (!running->knows_end_of(trial)) state.counts.add(trial.state);
  }
  // What is given up keeps the progress that it had: its trials are over, but not done.
  const bool is_given_up =
      model::is_stopping(experiment.state) || running->shutdown.is_canceled || running->shutdown.is_failed;
  state.progress = is_given_up ? experiment.progress.value_or(0)
                               : progress_of(running->search, experiment.config, state.trials, state.counts);
  // The runner of a custom search can end it while trials train: they are stopped, and it is over when they are.
  const bool is_ending = running->is_over && running->plan.is_custom;
  bool all_over = true;
  for (const auto& trial : state.trials) {
    all_over = all_over && model::is_terminal(trial.state);
    const auto id = searcher::parse_request_id(trial.request_id);
    const bool is_stopped = id && running->search.is_stopped(*id);
    if (may_be_stopped(trial.state) && (is_ending || is_stopped)) state.to_stop.push_back(trial.id);
  }
  state.is_over = running->is_over && (all_over || !is_ending);
  state.is_canceled = running->shutdown.is_canceled;
  state.is_failed = running->shutdown.is_failed;
  co_return state;
}

}  // namespace det::op
