#include "searcher/outline.h"

#include <map>
#include <utility>

namespace det::searcher {
namespace {

using nlohmann::json;

const json& at(const json& object, const char* name) {
  static const json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

// Snapshots hold what is compared: less is better there. Infinite ones, of trials that exited early, are texts.
json reported(const json& metric, bool smaller_is_better) {
  if (!metric.is_number()) return nullptr;
  return smaller_is_better ? metric.get<double>() : -metric.get<double>();
}

json rung_of(const json& rung, std::int64_t trials, bool smaller_is_better, std::size_t best) {
  json first = json::array();
  const json& results = at(rung, "metrics");
  for (const json& result : results) {
    if (first.size() == best) break;
    first.push_back({{"id", at(result, "request_id")}, {"metric", reported(at(result, "metric"), smaller_is_better)}});
  }
  return {{"length", at(rung, "units_needed")},
          {"results", results.size()},
          {"trials", trials},
          {"best", std::move(first)}};
}

json bracket_of(const json& state, bool smaller_is_better, std::size_t best) {
  std::map<std::int64_t, std::int64_t> trials;  // by rung
  for (const json& rung : at(state, "trial_rungs")) {
    if (rung.is_number_integer()) ++trials[rung.get<std::int64_t>()];
  }
  json rungs = json::array();
  for (const json& rung : at(state, "rungs")) {
    rungs.push_back(rung_of(rung, trials[std::ssize(rungs)], smaller_is_better, best));
  }
  return {{"rungs", std::move(rungs)}};
}

}  // namespace

json outline_of(const json& rungs, bool smaller_is_better, std::size_t best) {
  json brackets = json::array();
  if (at(rungs, "rungs").is_array()) brackets.push_back(bracket_of(rungs, smaller_is_better, best));
  for (const json& each : at(rungs, "sub_search_states")) brackets.push_back(bracket_of(each, smaller_is_better, best));
  return brackets;
}

}  // namespace det::searcher
