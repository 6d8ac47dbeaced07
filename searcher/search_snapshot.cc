// Search::snapshot and Search::restore: the books as upstream's JSON, and back.

#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "base/json_reader.h"
#include "searcher/event_json.h"
#include "searcher/rung_json.h"
#include "searcher/search.h"

namespace det::searcher {
namespace {

using nlohmann::json;

constexpr std::pair<const char*, Mark> kMarks[] = {{"trials_created", Mark::kCreated},
                                                   {"trials_closed", Mark::kClosed},
                                                   {"exits", Mark::kExited},
                                                   {"cancels", Mark::kCanceled},
                                                   {"failures", Mark::kFailed}};

std::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorCode::kDataLoss, "the search's snapshot is malformed: " + what);
}

// The methods whose state did not change between versions 5 and 6.
bool is_readable_from_before(const json& method_state) {
  if (!method_state.is_object()) return false;
  const json type = method_state.value("search_method_type", json());
  return type == "single" || type == "random" || type == "grid";
}

}  // namespace

json Search::searcher_state() const {
  json state = {{"trials_requested", trials_requested_},
                {"rand", prng_.to_json()},
                {"search_method_state", method_->state(trials_)}};
  for (const auto& [name, mark] : kMarks) {
    json marks = json::object();
    for (TrialNumber trial = 0; trial < trials_.size(); ++trial) {
      if (trials_.has(trial, mark)) marks[trials_.name(trial)] = true;
    }
    state[name] = std::move(marks);
  }
  json progress = json::object();
  for (TrialNumber trial = 0; trial < trials_.size(); ++trial) {
    if (const auto own = trials_.progress(trial)) progress[trials_.name(trial)] = *own;
  }
  state["trial_progress"] = std::move(progress);
  if (width_ > 0) state["width"] = width_;  // ours: upstream's cannot be widened
  if (holds_back()) state["held_back"] = to_json(Decisions(held_back_.begin(), held_back_.end()));
  if (generation_ != Generation::kOperations) return state;
  state["shutdown"] = is_over();
  json completed = json::object();
  for (const auto& [trial, length] : completed_) {
    const std::string name = trials_.name(trial);
    completed["{ValidateAfter " + name + ", " + std::to_string(length) + "}"] = {{"RequestID", name},
                                                                                 {"Length", length}};
  }
  state["completed_operations"] = std::move(completed);
  return state;
}

json Search::trial_states() const {
  json states = json::object();
  for (TrialNumber trial = 0; trial < trials_.size(); ++trial) {
    if (trials_.has(trial, Mark::kStopped)) states[trials_.name(trial)] = {{"EarlyStoppedBySearcher", true}};
  }
  for (const auto& [trial, operation] : operations_) {
    const std::string name = trials_.name(trial);
    states[name] = {{"Op", {{"RequestID", name}, {"Length", operation.length}}}, {"Complete", operation.is_complete}};
    if (operation.is_last) states[name]["Closed"] = true;
  }
  return states;
}

json Search::rungs() const {
  return method_->has_rungs() ? method_->state(trials_) : json();
}

json Search::snapshot() const {
  return {{"version", snapshot_version(generation_)},
          {"searcher_state", searcher_state()},
          {"trial_searcher_state", trial_states()}};
}

Status Search::restore_books(const json& state, bool is_shimmed) {
  for (const auto& [name, mark] : kMarks) {
    const auto set = [&, kind = mark](TrialNumber trial, const json& value) {
      if (value == true) trials_.set(trial, kind);
      return value.is_boolean();
    };
    if (!for_each_trial(trials_, state.value(name, json()), set)) return malformed(name);
  }
  const auto set_progress = [&](TrialNumber trial, const json& value) {
    // Version 5 counts units of training, not the share of it; the trial says again how far it is.
    if (value.is_number()) trials_.set_progress(trial, is_shimmed ? 0 : value.get<double>());
    return value.is_number();
  };
  if (!for_each_trial(trials_, state.value("trial_progress", json()), set_progress)) return malformed("trial_progress");
  const json completed = state.value("completed_operations", json());
  if (!completed.is_null() && !completed.is_object()) return malformed("completed_operations");
  for (const json& operation : completed) {
    if (!operation.is_object()) return malformed("completed_operations");
    const json name = operation.value("RequestID", json());
    const auto id = name.is_string() ? parse_request_id(name.get_ref<const std::string&>()) : std::nullopt;
    const auto length = whole_number(operation.value("Length", json()));
    if (!id || !length) return malformed("completed_operations");
    completed_.insert({trials_.enter(*id), *length});
  }
  return {};
}

Status Search::restore_trial_states(const json& states) {
  const auto set = [&](TrialNumber trial, const json& state) {
    if (!state.is_object()) return false;
    if (state.value("EarlyStoppedBySearcher", json()) == true) trials_.set(trial, Mark::kStopped);
    const json operation = state.value("Op", json());
    if (!operation.is_object()) return true;
    const auto length = whole_number(operation.value("Length", json()));
    if (!length) return false;
    operations_[trial] = {.length = *length,
                          .is_complete = state.value("Complete", json()) == true,
                          .is_last = state.value("Closed", json()) == true};
    return true;
  };
  return for_each_trial(trials_, states, set) ? Status() : malformed("trial_searcher_state");
}

Status Search::restore(const json& snapshot) {
  if (!snapshot.is_object()) return malformed("not an object");
  const json version = snapshot.value("version", json());
  const json state = snapshot.value("searcher_state", json());
  const int ours = snapshot_version(generation_);
  const bool is_shimmed = generation_ == Generation::kCurrent && version == snapshot_version(Generation::kOperations);
  if (version != ours && !is_shimmed) {
    return fail(ErrorCode::kDataLoss, "cannot shim from " + version.dump() + " to " + std::to_string(ours));
  }
  if (!state.is_object()) return malformed("searcher_state");
  const json method_state = state.value("search_method_state", json());
  if (is_shimmed && !is_readable_from_before(method_state)) {
    return fail(ErrorCode::kDataLoss, "cannot shim from 5 to 6: unsupported search_method_type");
  }
  const auto requested = count_at(state, "trials_requested");
  if (!requested) return malformed("trials_requested");
  auto prng = Prng::from_json(state.value("rand", json()));
  DET_TRY(prng);
  trials_requested_ = *requested;
  prng_ = *prng;
  trials_ = TrialBooks();
  width_ = whole_number(state.value("width", json())).value_or(0);
  is_shut_down_ = has_runner_ && state.value("shutdown", json()) == true;
  held_back_.clear();
  for (const json& one : state.value("held_back", json::array())) {
    auto decision = decision_from_json(one);
    if (!decision) return malformed("held_back");
    held_back_.push_back(*std::move(decision));
  }
  operations_.clear();
  completed_.clear();
  if (Status read = restore_books(state, is_shimmed); !read) return read;
  if (is_shimmed) {
    completed_.clear();
  } else if (Status read = restore_trial_states(snapshot.value("trial_searcher_state", json())); !read) {
    return read;
  }
  SearchContext now = context();
  return method_->restore(now, method_state);
}

}  // namespace det::searcher
