#include "searcher/search.h"

#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/json_reader.h"
#include "searcher/random_search.h"

namespace det::searcher {
namespace {

using nlohmann::json;

std::unexpected<Error> malformed(const std::string& what) {
  return fail(ErrorCode::kDataLoss, "the search's snapshot is malformed: " + what);
}

bool is_invalid_hp(ExitReason reason) {
  return reason == ExitReason::kInvalidHp || reason == ExitReason::kInitInvalidHp;
}

// A map of the snapshot; `read` turns one member into a value or nothing.
template <typename T, typename Read>
Status read_map(const json& state, const char* name, std::map<std::string, T>& out, Read read) {
  out.clear();
  const auto it = state.find(name);
  if (it == state.end() || it->is_null()) return {};
  if (!it->is_object()) return malformed(name);
  for (const auto& [key, member] : it->items()) {
    const std::optional<T> value = read(member);
    if (!value) return malformed(std::string(name) + "." + key);
    out[key] = *value;
  }
  return {};
}

std::optional<bool> read_mark(const json& value) {
  return value.is_boolean() ? std::optional(value.get<bool>()) : std::nullopt;
}

std::optional<double> read_fraction(const json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

}  // namespace

Search::Search(std::unique_ptr<SearchMethod> method, json hyperparameters, std::uint32_t seed)
    : method_(std::move(method)), hyperparameters_(std::move(hyperparameters)), prng_(seed) {
  DET_CHECK(method_ != nullptr, "a search has a method");
}

SearchContext Search::context() {
  return {.prng = prng_,
          .hyperparameters = hyperparameters_,
          .trial_progress = trial_progress_,
          .trials_closed = trials_closed_};
}

Result<Decisions> Search::take(const Event& event) {
  return std::visit([this](const auto& each) { return on(each); }, event);
}

Decisions Search::counted(Decisions decisions) {
  for (const Decision& decision : decisions)
    trials_requested_ += std::holds_alternative<Create>(decision.action) ? 1 : 0;
  return decisions;
}

Status Search::check_known(const std::string& request_id) const {
  if (trials_created_.contains(request_id)) return {};
  return fail(ErrorCode::kInvalidArgument, "the trial " + request_id + " is not one of this search");
}

void Search::shut_down_if_over(Decisions& decisions, bool may_be_canceled) const {
  if (trials_requested_ != std::ssize(trials_closed_)) return;
  const Shutdown shutdown{.is_canceled = may_be_canceled && std::ssize(cancels_) >= trials_requested_,
                          .is_failed = std::ssize(failures_) >= trials_requested_};
  const std::string count = std::to_string(trials_requested_);
  const char* how = shutdown.is_failed ? "failed" : shutdown.is_canceled ? "were canceled" : "have ended";
  decisions.push_back({.action = shutdown, .reason = "all " + count + " trials of the search " + how});
}

Result<Decisions> Search::on(const Started& /*event*/) {
  SearchContext now = context();
  return counted(method_->initial_trials(now));
}

Result<Decisions> Search::on(const TrialCreated& event) {
  trials_created_[event.request_id] = true;
  trial_progress_[event.request_id] = 0;
  SearchContext now = context();
  return counted(method_->trial_created(now, event.request_id));
}

Result<Decisions> Search::on(const Validated& event) {
  if (Status known = check_known(event.request_id); !known) return std::unexpected(known.error());
  SearchContext now = context();
  auto decisions = method_->validated(now, event);
  if (!decisions) return decisions;
  return counted(*std::move(decisions));
}

Result<Decisions> Search::on(const ExitedEarly& event) {
  if (Status known = check_known(event.request_id); !known) return std::unexpected(known.error());
  if (exits_.contains(event.request_id)) return Decisions();
  if (is_invalid_hp(event.reason)) trial_progress_.erase(event.request_id);
  if (event.reason == ExitReason::kUserCanceled) cancels_[event.request_id] = true;
  if (event.reason == ExitReason::kErrored) failures_[event.request_id] = true;
  SearchContext now = context();
  Decisions decisions = counted(method_->exited_early(now, event));
  exits_[event.request_id] = true;
  shut_down_if_over(decisions, false);
  return decisions;
}

Result<Decisions> Search::on(const Exited& event) {
  if (Status known = check_known(event.request_id); !known) return std::unexpected(known.error());
  trials_closed_[event.request_id] = true;
  SearchContext now = context();
  Decisions decisions = counted(method_->exited(now, event.request_id));
  shut_down_if_over(decisions, true);
  return decisions;
}

Result<Decisions> Search::on(const Progressed& event) {
  if (Status known = check_known(event.request_id); !known) return std::unexpected(known.error());
  trial_progress_[event.request_id] = std::isfinite(event.fraction) ? event.fraction : 0;
  return Decisions();
}

double Search::progress() const {
  Prng unused = prng_;
  const SearchContext now{.prng = unused,
                          .hyperparameters = hyperparameters_,
                          .trial_progress = trial_progress_,
                          .trials_closed = trials_closed_};
  const double fraction = method_->progress(now);
  return std::isfinite(fraction) ? fraction : 0;
}

json Search::snapshot() const {
  return {{"version", kSnapshotVersion},
          {"searcher_state",
           {{"trials_requested", trials_requested_},
            {"trials_created", trials_created_},
            {"trials_closed", trials_closed_},
            {"exits", exits_},
            {"cancels", cancels_},
            {"failures", failures_},
            {"trial_progress", trial_progress_},
            {"rand", prng_.to_json()},
            {"search_method_state", method_->state()}}}};
}

Status Search::restore(const json& snapshot) {
  if (!snapshot.is_object()) return malformed("not an object");
  const json version = snapshot.value("version", json());
  if (version != kSnapshotVersion) {
    return fail(ErrorCode::kDataLoss, "cannot shim from " + version.dump() + " to " + std::to_string(kSnapshotVersion));
  }
  const json state = snapshot.value("searcher_state", json());
  if (!state.is_object()) return malformed("searcher_state");
  const auto requested = whole_number(state.value("trials_requested", json()));
  if (!requested) return malformed("trials_requested");
  trials_requested_ = *requested;
  for (const auto& [name, marks] :
       {std::pair{"trials_created", &trials_created_}, std::pair{"trials_closed", &trials_closed_},
        std::pair{"exits", &exits_}, std::pair{"cancels", &cancels_}, std::pair{"failures", &failures_}}) {
    if (Status read = read_map(state, name, *marks, read_mark); !read) return read;
  }
  if (Status read = read_map(state, "trial_progress", trial_progress_, read_fraction); !read) return read;
  auto prng = Prng::from_json(state.value("rand", json()));
  if (!prng) return std::unexpected(prng.error());
  prng_ = *prng;
  return method_->restore(state.value("search_method_state", json()));
}

Result<Search> make_search(const model::SearcherConfig& config, json hyperparameters, std::uint32_t seed) {
  if (config.name != "single") {
    return fail(ErrorCode::kUnimplemented,
                "the searcher '" + config.name + "' cannot run in this version, only 'single' can so far",
                "searcher.name");
  }
  return Search(std::make_unique<RandomSearch>(RandomSearch::single()), std::move(hyperparameters), seed);
}

}  // namespace det::searcher
