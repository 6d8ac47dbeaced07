#include "searcher/make_search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "searcher/asha.h"
#include "searcher/custom_search.h"
#include "searcher/go_math.h"
#include "searcher/grid_search.h"
#include "searcher/legacy_asha.h"
#include "searcher/random_search.h"
#include "searcher/tournament.h"

namespace det::searcher {
namespace {

using model::SearcherConfig;
using nlohmann::json;

std::unexpected<Error> refuse(const char* field, std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message), std::string("searcher.") + field);
}

Status at_least(const char* field, std::int64_t value, std::int64_t minimum) {
  if (value >= minimum) return {};
  return refuse(field, "must be >= " + std::to_string(minimum) + " but found " + std::to_string(value));
}

Status check_rungs(const char* field, std::int64_t rungs, double divisor) {
  if (Status enough = at_least(field, rungs, 1); !enough) return enough;
  if (rungs > kMaxRungs) {
    return refuse(field, "must be <= " + std::to_string(kMaxRungs) + " but found " + std::to_string(rungs));
  }
  if (std::isinf(go_pow(divisor, static_cast<double>(rungs - 1)))) {
    return refuse(field, "the divisor to the power of " + std::to_string(rungs - 1) + " is beyond all numbers");
  }
  return {};
}

Status check_first(std::int64_t first, const char* field) {
  if (first <= kMaxFirstTrials) return {};
  return refuse(field, "the search would begin with " + std::to_string(first) + " trials at once, more than " +
                           std::to_string(kMaxFirstTrials) + ": set a limit");
}

// How far halving trains, in units.
Result<std::int64_t> units_of(const SearcherConfig& config, Generation generation) {
  if (generation == Generation::kOperations) {
    if (config.max_length && config.max_length->units >= 1) return config.max_length->units;
    return refuse("max_length", "the `" + config.name + "` searcher requires `max_length` to be at least 1");
  }
  if (!config.max_time || config.time_metric.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the `" + config.name + "` searcher requires `max_time` and `time_metric` to be set", "searcher");
  }
  DET_TRY(at_least("max_time", *config.max_time, 1));
  return *config.max_time;
}

Status check_halving(const SearcherConfig& config) {
  // So written that what is no number fails too.
  if (!(config.divisor > 1) || std::isinf(config.divisor)) {
    return refuse("divisor", "must be > 1 but found " + json(config.divisor).dump());
  }
  if (Status enough = at_least("max_trials", config.max_trials, 1); !enough) return enough;
  return at_least("max_concurrent_trials", config.max_concurrent_trials, 0);
}

Bracket single_bracket(const SearcherConfig& config) {
  return {
      .num_rungs = config.num_rungs, .max_trials = config.max_trials, .max_concurrent = config.max_concurrent_trials};
}

std::unique_ptr<SearchMethod> halving(const SearcherConfig& config, const Bracket& bracket, std::int64_t units,
                                      Generation generation) {
  if (generation == Generation::kOperations) {
    const HalvingVariant variant = config.stop_once ? HalvingVariant::kStopOnce : HalvingVariant::kPromote;
    return std::make_unique<LegacyAsha>(variant, config.smaller_is_better, bracket, config.divisor, units);
  }
  return std::make_unique<Asha>(
      Objective{
          .metric = config.metric, .smaller_is_better = config.smaller_is_better, .time_metric = config.time_metric},
      bracket, config.divisor, units);
}

Status check_brackets(const SearcherConfig& config, std::int64_t units) {
  if (Status rungs = at_least("max_rungs", config.max_rungs, 1); !rungs) return rungs;
  for (const std::int64_t rungs : config.bracket_rungs) {
    if (Status good = check_rungs("bracket_rungs", rungs, config.divisor); !good) return good;
  }
  if (std::ssize(config.bracket_rungs) > kMaxRungs) return refuse("bracket_rungs", "there are too many brackets");
  // A divisor close to 1 gives many.
  const double levels = go_log(static_cast<double>(units)) / go_log(config.divisor);
  if (config.bracket_rungs.empty() && config.max_rungs > kMaxRungs && levels > static_cast<double>(kMaxRungs)) {
    return refuse("max_rungs",
                  "must be <= " + std::to_string(kMaxRungs) + " but found " + std::to_string(config.max_rungs));
  }
  std::int64_t first = 0;
  for (const Bracket& bracket : brackets_of(config, units)) first += first_trials(bracket, config.divisor);
  return check_first(first, "max_concurrent_trials");
}

// Each costs memory as long as the experiment lasts. Not where a search is made: one that was accepted goes on.
Status check_rungs_of_all(const SearcherConfig& config, Generation generation) {
  if (config.name != "adaptive_asha") return {};
  const auto units = units_of(config, generation);
  DET_TRY(units);
  DET_TRY(check_halving(config));
  DET_TRY(check_brackets(config, *units));
  std::int64_t rungs = 0;
  for (const Bracket& bracket : brackets_of(config, *units)) rungs += bracket.num_rungs;
  if (rungs <= kMaxRungsOfAll) return {};
  return refuse(config.bracket_rungs.empty() ? "max_rungs" : "bracket_rungs",
                "the brackets would have " + std::to_string(rungs) + " rungs in all, more than " +
                    std::to_string(kMaxRungsOfAll) + ": set fewer");
}

Result<std::unique_ptr<SearchMethod>> make_random(const SearcherConfig& config, std::int64_t length) {
  for (const Status& good : {at_least("max_trials", config.max_trials, 1),
                             at_least("max_concurrent_trials", config.max_concurrent_trials, 0)}) {
    DET_TRY(good);
  }
  const std::int64_t first =
      config.max_concurrent_trials == 0 ? config.max_trials : std::min(config.max_trials, config.max_concurrent_trials);
  DET_TRY(check_first(first, "max_concurrent_trials"));
  return std::make_unique<RandomSearch>(RandomSearch::random(config.max_trials, config.max_concurrent_trials, length));
}

Result<std::unique_ptr<SearchMethod>> make_grid(const SearcherConfig& config, const json& hyperparameters,
                                                std::int64_t length) {
  if (Status good = at_least("max_concurrent_trials", config.max_concurrent_trials, 0); !good) {
    return std::unexpected(good.error());
  }
  auto points = GridPoints::of(hyperparameters);
  DET_TRY(points);
  if (points->size() == 0) {
    return fail(
        ErrorCode::kInvalidArgument,
        "a grid search needs at least one hyperparameter: without any it has no trials and would never end; for "
        "one trial use the `single` searcher",
        "hyperparameters");
  }
  return std::make_unique<GridSearch>(*std::move(points), config.max_concurrent_trials, length);
}

Result<std::unique_ptr<SearchMethod>> make_halving(const SearcherConfig& config, Generation generation) {
  const auto units = units_of(config, generation);
  DET_TRY(units);
  DET_TRY(check_halving(config));
  if (config.name == "async_halving") {
    if (Status good = check_rungs("num_rungs", config.num_rungs, config.divisor); !good) {
      return std::unexpected(good.error());
    }
    const Bracket bracket = single_bracket(config);
    DET_TRY(check_first(first_trials(bracket, config.divisor), "max_concurrent_trials"));
    return halving(config, bracket, *units, generation);
  }
  DET_TRY(check_brackets(config, *units));
  std::vector<std::unique_ptr<SearchMethod>> brackets;
  for (const Bracket& bracket : brackets_of(config, *units)) {
    brackets.push_back(halving(config, bracket, *units, generation));
  }
  return std::make_unique<Tournament>(std::move(brackets));
}

Result<std::unique_ptr<SearchMethod>> make_method(const SearcherConfig& config, const json& hyperparameters,
                                                  Generation generation) {
  if (config.name == "custom") return std::make_unique<CustomSearch>();
  std::int64_t length = 0;
  if (generation == Generation::kOperations) {
    const auto units = units_of(config, generation);
    DET_TRY(units);
    length = *units;
  }
  if (config.name == "single") return std::make_unique<RandomSearch>(RandomSearch::single(length));
  if (config.name == "random") return make_random(config, length);
  if (config.name == "grid") return make_grid(config, hyperparameters, length);
  if (config.name == "async_halving" || config.name == "adaptive_asha") return make_halving(config, generation);
  return refuse("name", "the searcher '" + config.name +
                            "' does not exist: write single, random, grid, async_halving, adaptive_asha or custom");
}

}  // namespace

Generation generation_of(const SearcherConfig& config) {
  if (config.name == "custom") return Generation::kOperations;
  const bool is_halving = config.name == "async_halving" || config.name == "adaptive_asha";
  const bool counts_time = config.max_time && !config.time_metric.empty();
  return is_halving && !counts_time && config.max_length ? Generation::kOperations : Generation::kCurrent;
}

std::vector<Bracket> brackets_of(const SearcherConfig& config, std::int64_t max_units) {
  return plan_brackets({.max_trials = config.max_trials,
                        .max_units = max_units,
                        .divisor = config.divisor,
                        .mode = config.mode,
                        .max_rungs = config.max_rungs,
                        .bracket_rungs = config.bracket_rungs,
                        .max_concurrent = config.max_concurrent_trials});
}

Result<Search> make_search(const SearcherConfig& config, const json& hyperparameters, std::uint32_t seed,
                           Generation generation) {
  auto method = make_method(config, hyperparameters, generation);
  DET_TRY(method);
  return Search(*std::move(method), hyperparameters, seed, generation);
}

Result<Search> search_of(const json& config) {
  const auto read = model::read_experiment_config(config);
  DET_TRY(read);
  return make_search(read->searcher, config.value("hyperparameters", json::object()), read->experiment_seed,
                     generation_of(read->searcher));
}

Status check_search(const SearcherConfig& config, const json& hyperparameters, Generation generation) {
  DET_TRY(check_rungs_of_all(config, generation));
  auto method = make_method(config, hyperparameters, generation);
  return method ? Status() : Status(std::unexpected(std::move(method).error()));
}

}  // namespace det::searcher
