#include "searcher/preview.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "searcher/go_math.h"

namespace det::searcher {
namespace {

using nlohmann::json;

std::int64_t integer(const json& section, const char* key, std::int64_t fallback) {
  return whole_number(section.value(key, json())).value_or(fallback);
}

bool is_space(const json& value) {
  return value.is_object() && value.contains("type") && value["type"].is_string();
}

// How many points a grid has along one hyperparameter, or over a map of them.
std::int64_t grid_points(const json& value) {
  if (!value.is_object()) return 1;
  if (!is_space(value)) {
    std::int64_t points = 1;
    for (const auto& [name, member] : value.items()) points *= grid_points(member);
    return points;
  }
  const std::string type = value["type"];
  if (type == "const") return 1;
  if (type == "categorical") return static_cast<std::int64_t>(value.value("vals", json::array()).size());
  const std::int64_t count = integer(value, "count", 1);
  if (type != "int") return count;
  return std::min(count, integer(value, "maxval", 0) - integer(value, "minval", 0) + 1);
}

struct Halving {
  double divisor = 4;
  std::int64_t max_trials = 1;
  std::int64_t max_time = 1;
};

// The numbers of rungs of the brackets, most first.
std::vector<std::int64_t> bracket_rungs(const json& searcher, const Halving& halving) {
  std::vector<std::int64_t> rungs;
  for (const json& given : searcher.value("bracket_rungs", json::array())) {
    if (const auto count = whole_number(given)) rungs.push_back(*count);
  }
  if (rungs.empty()) {
    const auto levels = [&halving](std::int64_t of) {
      return static_cast<std::int64_t>(go_log(static_cast<double>(of)) / go_log(halving.divisor)) + 1;
    };
    const std::int64_t most =
        std::min({integer(searcher, "max_rungs", 5), levels(halving.max_time), levels(halving.max_trials)});
    const std::string mode = searcher.value("mode", "standard");
    const std::int64_t least = mode == "aggressive" ? most : mode == "conservative" ? 1 : (most - 1) / 2 + 1;
    for (std::int64_t count = least; count <= most; ++count) rungs.push_back(count);
  }
  std::ranges::sort(rungs, std::greater());
  return rungs;
}

std::vector<std::int64_t> bracket_trials(const std::vector<std::int64_t>& rungs, const Halving& halving) {
  std::vector<double> weights;
  double sum = 0;
  for (const std::int64_t count : rungs) {
    weights.push_back(go_pow(halving.divisor, static_cast<double>(count - 1)) / static_cast<double>(count));
    sum += weights.back();
  }
  std::vector<std::int64_t> trials;
  std::int64_t given = 0;
  for (const double weight : weights) {
    const auto share = static_cast<std::int64_t>(weight / sum * static_cast<double>(halving.max_trials));
    trials.push_back(std::max<std::int64_t>(share, 1));
    given += trials.back();
  }
  trials.front() += std::max<std::int64_t>(halving.max_trials - given, 0);
  return trials;
}

// Adds how many trials of a bracket would stop at each length.
void add_bracket(std::map<std::int64_t, std::int64_t>& stopped, std::int64_t rungs, std::int64_t trials,
                 const Halving& halving) {
  std::int64_t left = trials;
  for (std::int64_t rung = 0; rung < rungs; ++rung) {
    const double length =
        static_cast<double>(halving.max_time) / go_pow(halving.divisor, static_cast<double>(rungs - 1 - rung));
    const bool is_top = rung == rungs - 1;
    const auto promoted =
        is_top ? 0 : std::max<std::int64_t>(static_cast<std::int64_t>(static_cast<double>(left) / halving.divisor), 1);
    stopped[std::max<std::int64_t>(static_cast<std::int64_t>(std::floor(length)), 1)] += left - promoted;
    left = promoted;
  }
}

Result<std::vector<PreviewedTrials>> preview_halving(const json& searcher) {
  const Halving halving{.divisor = searcher.value("divisor", 4.0),
                        .max_trials = integer(searcher, "max_trials", 1),
                        .max_time = integer(searcher, "max_time", 0)};
  if (halving.max_time < 1)
    return fail(ErrorCode::kInvalidArgument, "max_time must be at least 1", "searcher.max_time");
  if (!(halving.divisor > 1)) return fail(ErrorCode::kInvalidArgument, "divisor must be > 1", "searcher.divisor");
  const auto rungs = bracket_rungs(searcher, halving);
  const auto trials = bracket_trials(rungs, halving);
  std::map<std::int64_t, std::int64_t> stopped;
  for (std::size_t i = 0; i < rungs.size(); ++i) add_bracket(stopped, rungs[i], trials[i], halving);
  std::vector<PreviewedTrials> preview;
  for (const auto& [length, count] : stopped) {
    preview.push_back({.count = count, .unit = searcher.value("time_metric", ""), .length = length});
  }
  return preview;
}

}  // namespace

Result<std::vector<PreviewedTrials>> preview_search(const json& searcher, const json& hyperparameters) {
  const std::string name = searcher.value("name", "");
  if (name == "adaptive_asha") return preview_halving(searcher);
  std::optional<std::int64_t> count;
  if (name == "single") count = 1;
  if (name == "random") count = integer(searcher, "max_trials", 1);
  if (name == "grid") count = hyperparameters.empty() ? 0 : grid_points(hyperparameters);
  if (!count) {
    return fail(ErrorCode::kInvalidArgument,
                "the searcher '" + name + "' has no preview; single, random, grid and adaptive_asha have",
                "searcher.name");
  }
  return std::vector<PreviewedTrials>{{.count = *count, .to_completion = true, .unit = {}}};
}

}  // namespace det::searcher
