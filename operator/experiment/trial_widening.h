#pragma once

// How a search that people let run more trials at once gets there: in steps, since each is one transaction and one go
// of the io thread, and no further than there is room. Pure.

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "searcher/search.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// A search that would have more trials open than this makes the rest as these end: a row, an object and a place in
// memory for each of a million trials that wait would be worth nothing to anybody.
inline constexpr std::int64_t kMostOpen = 2'000;
inline constexpr std::int64_t kTrialsAtOnce = 500;  // created in one step

// Whether it takes one of these places: one that has not ended, unless it rests until the search has more for it, which
// in a halving by operations most do until its end.
[[nodiscard]] bool takes_a_place(const store::TrialRow& trial);

// How many trials of an experiment one step creates: fewer than kTrialsAtOnce where each holds so many hyperparameters
// that a row of the log would come to megabytes.
[[nodiscard]] std::int64_t trials_at_once(const nlohmann::json& config);

// What the search is to be told next on its way from `accepted` to `wanted` trials at once, with `open` of them that
// take a place; nothing when it is there, or has to wait for the end of some. An `accepted` of 0 leaves the number to
// the method. Ask again with the next step, of which each creates `most_at_once` at most.
[[nodiscard]] std::optional<searcher::Widened> next_widening(const searcher::Search& search, std::int64_t accepted,
                                                             std::int64_t wanted, std::int64_t open,
                                                             std::int64_t most_at_once = kTrialsAtOnce);

// What it is to be told at once after `part` of next_widening made `created` trials. Where a search wants no more
// trials the rest makes none, and is not worth a step for each part of it.
[[nodiscard]] std::optional<searcher::Widened> rest_of_widening(const searcher::Widened& part, std::int64_t wanted,
                                                                std::int64_t created);

}  // namespace det::op
