#pragma once

// From a configuration to its search. Pure.

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "model/expconf/experiment_config.h"
#include "searcher/bracket_plan.h"
#include "searcher/search.h"

namespace det::searcher {

// A search that begins with more trials than this is refused: every one of them is made at once.
inline constexpr std::int64_t kMaxFirstTrials = 1'000'000;
// More rungs than this are a mistake; a rung is for a divisor's worth of training.
inline constexpr std::int64_t kMaxRungs = 1'000;
inline constexpr std::int64_t kMaxRungsOfAll = 10'000;  // of the brackets of a new search

// Which protocol the search of `config` runs in, whatever its trials speak: a custom search and halving by `max_length`
// alone hand out operations, as before 0.38; everything else is current. Trials of both kinds fit in: see
// docs/search.md.
[[nodiscard]] Generation generation_of(const model::SearcherConfig& config);

// The search that `config` asks for, before its first event. `hyperparameters`: the normalised section.
// kInvalidArgument, with the field, for what cannot run: a searcher that was removed, halving without `max_time` and
// `time_metric` (kCurrent) or `max_length` (kOperations), numbers out of bounds, an empty or too large grid. Texts say
// what to write instead.
[[nodiscard]] Result<Search> make_search(const model::SearcherConfig& config, const nlohmann::json& hyperparameters,
                                         std::uint32_t seed, Generation generation = Generation::kCurrent);

// The search of an experiment, before its first event. `config`: the whole configuration as it was accepted; it says
// which generation. Errors as above.
[[nodiscard]] Result<Search> search_of(const nlohmann::json& config);

// The brackets that adaptive_asha would run, most rungs first. `config` must be one that make_search takes.
[[nodiscard]] std::vector<Bracket> brackets_of(const model::SearcherConfig& config, std::int64_t max_units);

// What keeps `config` from running, as make_search says it; nothing else is done.
[[nodiscard]] Status check_search(const model::SearcherConfig& config, const nlohmann::json& hyperparameters,
                                  Generation generation = Generation::kCurrent);

}  // namespace det::searcher
