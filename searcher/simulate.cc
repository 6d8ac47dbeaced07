#include "searcher/simulate.h"

#include <cstddef>
#include <map>

#include <nlohmann/json.hpp>

#include "searcher/bracket_plan.h"
#include "searcher/grid_points.h"
#include "searcher/make_search.h"

namespace det::searcher {
namespace {

using nlohmann::json;

std::vector<TrialGroup> halving_groups(const model::SearcherConfig& config) {
  std::map<std::int64_t, std::int64_t> by_units;
  const bool by_length = generation_of(config) == Generation::kOperations;
  const std::int64_t max_time = by_length ? config.max_length->units : config.max_time.value_or(1);
  const std::string unit = by_length ? config.max_length->unit : config.time_metric;
  for (const Bracket& bracket : brackets_of(config, max_time)) {
    const auto units = rung_units(bracket.num_rungs, config.divisor, max_time);
    const auto stops = expected_stops(bracket, config.divisor);
    for (std::size_t rung = 0; rung < units.size(); ++rung) by_units[units[rung]] += stops[rung];
  }
  std::vector<TrialGroup> groups;
  for (const auto& [units, count] : by_units) {
    groups.push_back({.count = count, .is_to_completion = false, .unit = unit, .units = units});
  }
  return groups;
}

}  // namespace

Result<std::vector<TrialGroup>> simulate(const model::SearcherConfig& config, const json& hyperparameters,
                                         std::uint32_t /*seed*/) {
  if (config.name == "async_halving") {
    return fail(ErrorCode::kInvalidArgument, "invalid searcher configuration", "searcher.name");
  }
  if (config.name == "custom") {
    return fail(ErrorCode::kInvalidArgument, "what a custom search trains is its runner's choice", "searcher.name");
  }
  if (Status good = check_search(config, hyperparameters, generation_of(config)); !good)
    return std::unexpected(std::move(good).error());
  if (config.name == "adaptive_asha") return halving_groups(config);
  std::int64_t count = 1;
  if (config.name == "random") count = config.max_trials;
  if (config.name == "grid") {
    auto points = GridPoints::of(hyperparameters);
    DET_TRY(points);
    count = points->size();
  }
  return std::vector<TrialGroup>{{.count = count, .is_to_completion = true}};
}

json to_json(const std::vector<TrialGroup>& groups) {
  json list = json::array();
  for (const TrialGroup& group : groups) {
    json unit = {{"name", nullptr}, {"value", nullptr}, {"maxLength", group.is_to_completion}};
    if (!group.is_to_completion) {
      unit["name"] = group.unit;
      unit["value"] = group.units;
    }
    list.push_back({{"count", group.count}, {"unit", std::move(unit)}});
  }
  return list;
}

}  // namespace det::searcher
