#include "searcher/grid_search.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "base/json_reader.h"
#include "searcher/new_trial.h"

namespace det::searcher {
namespace {

using nlohmann::json;

std::unexpected<Error> not_ours(const std::string& why) {
  return fail(ErrorCode::kDataLoss, "the snapshot is not that of a search of type grid: " + why);
}

}  // namespace

GridSearch::GridSearch(GridPoints points, std::int64_t max_concurrent, std::int64_t length)
    : points_(std::make_shared<const GridPoints>(std::move(points))),
      max_concurrent_(max_concurrent),
      length_(length),
      remaining_(points_->size()) {}

void GridSearch::create(SearchContext& context, Decisions& decisions) {
  --remaining_;
  ++pending_;
  const TrialNumber trial = draw_trial_with(context, decisions, Hparams(points_, remaining_),
                                            {"grid point # of #", remaining_ + 1, points_->size()});
  if (length_ > 0) {
    decisions.push_back(validate_after(context.trials, trial, length_, "every trial trains to its full length"));
    decisions.push_back(close(context.trials, trial, "its full length is all there is to do"));
  }
}

Decisions GridSearch::initial_trials(SearchContext& context) {
  const std::int64_t count = max_concurrent_ > 0 ? std::min(remaining_, max_concurrent_) : remaining_;
  Decisions decisions;
  for (std::int64_t i = 0; i < count; ++i) create(context, decisions);
  return decisions;
}

Decisions GridSearch::trial_created(SearchContext& /*context*/, TrialNumber /*trial*/) {
  return {};
}

Result<Decisions> GridSearch::validated(SearchContext& /*context*/, TrialNumber /*trial*/, const json& /*metrics*/) {
  return Decisions();
}

Decisions GridSearch::operation_completed(SearchContext& /*context*/, TrialNumber /*trial*/, double /*metric*/) {
  return {};
}

Decisions GridSearch::exited_early(SearchContext& /*context*/, TrialNumber /*trial*/, ExitReason /*reason*/) {
  return {};
}

Decisions GridSearch::exited(SearchContext& context, TrialNumber /*trial*/) {
  --pending_;
  Decisions decisions;
  if (remaining_ > 0) create(context, decisions);
  return decisions;
}

Decisions GridSearch::widened(SearchContext& context, std::int64_t from, std::int64_t to) {
  Decisions decisions;
  for (std::int64_t i = from; i < to && remaining_ > 0; ++i) create(context, decisions);
  return decisions;
}

double GridSearch::progress(const TrialBooks& trials) const {
  return length_ > 0 ? length_progress(trials, length_, points_->size(), true) : average_progress(trials);
}

json GridSearch::state(const TrialBooks& /*trials*/) const {
  json remaining = json::array();
  for (std::int64_t i = 0; i < remaining_; ++i) remaining.push_back(points_->at(i));
  return {{"pending_trials", pending_}, {"remaining_trials", std::move(remaining)}, {"search_method_type", "grid"}};
}

Status GridSearch::restore(SearchContext& /*context*/, const json& state) {
  FieldErrors errors;
  JsonReader reader(state, errors);
  const auto type = reader.string("search_method_type");
  const auto pending = reader.integer("pending_trials");
  const json* remaining = reader.any("remaining_trials");
  if (!errors.empty() || type != "grid" || !pending) return not_ours("type or pending_trials");
  if (remaining != nullptr && !remaining->is_array()) return not_ours("remaining_trials");
  const auto count = static_cast<std::int64_t>(remaining == nullptr ? 0 : remaining->size());
  if (count > points_->size()) return not_ours("it has more points than this grid");
  for (std::int64_t i = 0; i < count; ++i) {
    if (remaining->at(static_cast<std::size_t>(i)) != points_->at(i)) return not_ours("it has other points");
  }
  pending_ = *pending;
  remaining_ = count;
  return {};
}

}  // namespace det::searcher
