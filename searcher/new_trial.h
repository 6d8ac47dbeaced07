#pragma once

// What every method does to create a trial, and the other decisions it builds. Pure but for the generator and the books
// of the context.

#include <cstdint>

#include "searcher/search_method.h"

namespace det::searcher {

// Draws hyperparameters, request id and seed, in upstream's order, enters the trial in the books and adds its Create to
// `decisions`.
TrialNumber draw_trial(SearchContext& context, Decisions& decisions, Reason reason);
// The same with given hyperparameters: only id and seed are drawn.
TrialNumber draw_trial_with(SearchContext& context, Decisions& decisions, Hparams hparams, Reason reason);

[[nodiscard]] Decision stop(const TrialBooks& trials, TrialNumber trial, Reason reason);
[[nodiscard]] Decision validate_after(const TrialBooks& trials, TrialNumber trial, std::int64_t length, Reason reason);
[[nodiscard]] Decision close(const TrialBooks& trials, TrialNumber trial, Reason reason);

// The average over the trials that have progress; a closed one counts as done. Upstream's for single, random and grid.
[[nodiscard]] double average_progress(const TrialBooks& trials);
// Before 0.38: lengths trained of `max_length` for each of `count` trials; a closed one counts as done, even one whose
// hyperparameters were invalid if that used up one of the `count` (`invalid_counts`).
[[nodiscard]] double length_progress(const TrialBooks& trials, std::int64_t max_length, std::int64_t count,
                                     bool invalid_counts);

}  // namespace det::searcher
