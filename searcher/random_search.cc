#include "searcher/random_search.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/json_reader.h"
#include "searcher/sample.h"

namespace det::searcher {

using nlohmann::json;

RandomSearch::RandomSearch(std::string type, std::int64_t max_trials, std::int64_t max_concurrent)
    : type_(std::move(type)), max_trials_(max_trials), max_concurrent_(max_concurrent) {}

RandomSearch RandomSearch::single() {
  return {"single", 1, 1};
}

RandomSearch RandomSearch::random(std::int64_t max_trials, std::int64_t max_concurrent) {
  return {"random", max_trials, max_concurrent};
}

Decision RandomSearch::create(SearchContext& context) {
  Create create;
  create.hparams = sample_hyperparameters(context.hyperparameters, context.prng);
  create.request_id = draw_request_id(context.prng);
  create.trial_seed = draw_trial_seed(context.prng);
  ++created_;
  ++pending_;
  return {.action = std::move(create),
          .reason = "trial " + std::to_string(created_) + " of " + std::to_string(max_trials_)};
}

Decisions RandomSearch::initial_trials(SearchContext& context) {
  const std::int64_t count = max_concurrent_ > 0 ? std::min(max_trials_, max_concurrent_) : max_trials_;
  Decisions decisions;
  for (std::int64_t i = 0; i < count; ++i) decisions.push_back(create(context));
  return decisions;
}

Decisions RandomSearch::trial_created(SearchContext& /*context*/, const std::string& /*request_id*/) {
  return {};
}

Result<Decisions> RandomSearch::validated(SearchContext& /*context*/, const Validated& /*event*/) {
  return Decisions();
}

Decisions RandomSearch::exited_early(SearchContext& /*context*/, const ExitedEarly& event) {
  --pending_;
  const bool is_invalid = event.reason == ExitReason::kInvalidHp || event.reason == ExitReason::kInitInvalidHp;
  // The trial does not count: exited() makes the next one in its place.
  if (type_ == "random" && is_invalid) --created_;
  return {};
}

Decisions RandomSearch::exited(SearchContext& context, const std::string& /*request_id*/) {
  --pending_;
  Decisions decisions;
  if (created_ < max_trials_) decisions.push_back(create(context));
  return decisions;
}

double RandomSearch::progress(const SearchContext& context) const {
  if (context.trial_progress.empty()) return 0;
  double sum = 0;
  for (const auto& [request_id, fraction] : context.trial_progress) {
    sum += context.trials_closed.contains(request_id) ? 1.0 : fraction;
  }
  return sum / static_cast<double>(context.trial_progress.size());
}

json RandomSearch::state() const {
  return {{"created_trials", created_}, {"pending_trials", pending_}, {"search_method_type", type_}};
}

Status RandomSearch::restore(const json& state) {
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
