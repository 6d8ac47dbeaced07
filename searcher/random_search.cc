#include "searcher/random_search.h"

#include <algorithm>
#include <utility>

#include "base/json_reader.h"
#include "searcher/new_trial.h"

namespace det::searcher {

using nlohmann::json;

RandomSearch::RandomSearch(std::string type, std::int64_t max_trials, std::int64_t max_concurrent, std::int64_t length)
    : type_(std::move(type)), max_trials_(max_trials), max_concurrent_(max_concurrent), length_(length) {}

RandomSearch RandomSearch::single(std::int64_t length) {
  return {"single", 1, 1, length};
}

RandomSearch RandomSearch::random(std::int64_t max_trials, std::int64_t max_concurrent, std::int64_t length) {
  return {"random", max_trials, max_concurrent, length};
}

void RandomSearch::create(SearchContext& context, Decisions& decisions) {
  ++created_;
  ++pending_;
  const TrialNumber trial = draw_trial(context, decisions, {"trial # of #", created_, max_trials_});
  if (length_ > 0) {
    decisions.push_back(validate_after(context.trials, trial, length_, "every trial trains to its full length"));
    decisions.push_back(close(context.trials, trial, "its full length is all there is to do"));
  }
}

Decisions RandomSearch::initial_trials(SearchContext& context) {
  const std::int64_t count = max_concurrent_ > 0 ? std::min(max_trials_, max_concurrent_) : max_trials_;
  Decisions decisions;
  for (std::int64_t i = 0; i < count; ++i) create(context, decisions);
  return decisions;
}

Decisions RandomSearch::trial_created(SearchContext& /*context*/, TrialNumber /*trial*/) {
  return {};
}

Result<Decisions> RandomSearch::validated(SearchContext& /*context*/, TrialNumber /*trial*/, const json& /*metrics*/) {
  return Decisions();
}

Decisions RandomSearch::operation_completed(SearchContext& /*context*/, TrialNumber /*trial*/, double /*metric*/) {
  return {};
}

Decisions RandomSearch::exited_early(SearchContext& /*context*/, TrialNumber /*trial*/, ExitReason reason) {
  --pending_;
  // The trial does not count: exited() makes the next one in its place.
  if (type_ == "random" && is_invalid_hp(reason)) --created_;
  return {};
}

Decisions RandomSearch::exited(SearchContext& context, TrialNumber /*trial*/) {
  --pending_;
  Decisions decisions;
  if (created_ < max_trials_) create(context, decisions);
  return decisions;
}

Decisions RandomSearch::widened(SearchContext& context, std::int64_t from, std::int64_t to) {
  Decisions decisions;
  for (std::int64_t i = from; i < to && created_ < max_trials_; ++i) create(context, decisions);
  return decisions;
}

double RandomSearch::progress(const TrialBooks& trials) const {
  return length_ > 0 ? length_progress(trials, length_, max_trials_, false) : average_progress(trials);
}

json RandomSearch::state(const TrialBooks& /*trials*/) const {
  return {{"created_trials", created_}, {"pending_trials", pending_}, {"search_method_type", type_}};
}

Status RandomSearch::restore(SearchContext& /*context*/, const json& state) {
  FieldErrors errors;
  JsonReader reader(state, errors);
  const auto type = reader.string("search_method_type");
  const auto created = reader.integer("created_trials");
  const auto pending = reader.integer("pending_trials");
  if (!errors.empty() || type != type_ || !created || !pending) {
    return fail(ErrorCode::kDataLoss, "the snapshot is not that of a search of type " + type_);
  }
  created_ = *created;
  pending_ = *pending;
  return {};
}

}  // namespace det::searcher
