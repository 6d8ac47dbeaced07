#include "searcher/new_trial.h"

#include <utility>

#include "searcher/sample.h"

namespace det::searcher {

TrialNumber draw_trial(SearchContext& context, Decisions& decisions, Reason reason) {
  return draw_trial_with(context, decisions, Hparams(context.space, context.prng), std::move(reason));
}

TrialNumber draw_trial_with(SearchContext& context, Decisions& decisions, Hparams hparams, Reason reason) {
  const RequestId id = draw_request_id(context.prng);
  context.trials.expect(id);
  const std::uint32_t seed = draw_trial_seed(context.prng);
  decisions.emplace_back(Create{.request_id = id, .trial_seed = seed, .hparams = std::move(hparams)},
                         std::move(reason));
  return context.trials.enter(id);
}

Decision stop(const TrialBooks& trials, TrialNumber trial, Reason reason) {
  return {.action = Stop{trials.id(trial)}, .reason = std::move(reason)};
}

Decision validate_after(const TrialBooks& trials, TrialNumber trial, std::int64_t length, Reason reason) {
  return {.action = ValidateAfter{.request_id = trials.id(trial), .length = length}, .reason = std::move(reason)};
}

Decision close(const TrialBooks& trials, TrialNumber trial, Reason reason) {
  return {.action = Close{trials.id(trial)}, .reason = std::move(reason)};
}

double average_progress(const TrialBooks& trials) {
  if (trials.progress_count() == 0) return 0;
  double sum = 0;
  for (TrialNumber trial = 0; trial < trials.size(); ++trial) {
    if (const auto own = trials.progress(trial)) sum += trials.has(trial, Mark::kClosed) ? 1.0 : *own;
  }
  return sum / static_cast<double>(trials.progress_count());
}

double length_progress(const TrialBooks& trials, std::int64_t max_length, std::int64_t count, bool invalid_counts) {
  const auto full = static_cast<double>(max_length);
  double sum = 0;
  for (TrialNumber trial = 0; trial < trials.size(); ++trial) {
    const auto own = trials.progress(trial);
    if (trials.has(trial, Mark::kClosed)) {
      sum += own || invalid_counts ? full : 0;
    } else {
      sum += own.value_or(0);
    }
  }
  return sum / (full * static_cast<double>(count));
}

}  // namespace det::searcher
