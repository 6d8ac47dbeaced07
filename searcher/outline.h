#pragma once

// What people want to see of a search of successive halving: its brackets, their rungs, and who stands where. Pure.

#include <cstddef>

#include <nlohmann/json.hpp>

namespace det::searcher {

// `rungs`: of the search. A list with an element for each bracket, most rungs first:
//   {"rungs": [{"length": 16, "results": 9, "trials": 6, "best": [{"id": REQUEST ID, "metric": 0.5}]}]}
// bottom rung first. `length` is in the unit of max_time (of max_length before 0.38), `results` says how many trials
// have a result there, `trials` of how many it is the highest rung, `best` has up to `best` of the results, the best
// first, as the trials reported them (null of those that exited early). Empty for a search without rungs.
[[nodiscard]] nlohmann::json outline_of(const nlohmann::json& rungs, bool smaller_is_better, std::size_t best);

}  // namespace det::searcher
