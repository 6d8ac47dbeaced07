#include "searcher/importance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace det::searcher {
namespace {

using nlohmann::json;

constexpr int kTrees = 64;
constexpr std::uint32_t kSeed = 20'140'622;
constexpr double kFence = 3;  // interquartile ranges, as of Tukey's outer fences

// Values by hyperparameter; null where a trial has none. Trials of programs that run elsewhere may each have names of
// their own: the first kMostNames are looked at.
class Columns {
 public:
  static constexpr std::size_t kMostNames = 2000;

  explicit Columns(std::size_t trials) : trials_(trials) {}

  void add(const json& hparams, std::size_t trial) {
    std::size_t left_out = 0;
    add(hparams, "", trial, left_out);
    left_out_ = std::max(left_out_, left_out);
  }
  [[nodiscard]] const std::map<std::string, std::vector<const json*>>& by_name() const { return by_name_; }
  // Of the trial that has most of them.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }

 private:
  void add(const json& values, const std::string& before, std::size_t trial, std::size_t& left_out) {
    if (!values.is_object()) return;
    for (const auto& [name, value] : values.items()) {
      if (value.is_object()) {
        add(value, before + name + ".", trial, left_out);
        continue;
      }
      std::vector<const json*>* column = column_of(before + name);
      if (column == nullptr) {
        left_out += 1;
      } else if (!value.is_null()) {
        (*column)[trial] = &value;
      }
    }
  }
  // Null for a name behind all the others where there are enough of them.
  std::vector<const json*>* column_of(const std::string& name) {
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return &found->second;
    if (by_name_.size() == kMostNames) {
      const auto last = std::prev(by_name_.end());
      if (name > last->first) return nullptr;
      by_name_.erase(last);
    }
    return &by_name_.emplace(name, trials_).first->second;
  }

  std::size_t trials_;
  std::map<std::string, std::vector<const json*>> by_name_;
  std::size_t left_out_ = 0;
};

// What the configuration says of each: double, int, log, categorical or const.
void add_types(const json& space, const std::string& before, std::map<std::string, std::string>& out) {
  if (!space.is_object()) return;
  for (const auto& [name, value] : space.items()) {
    if (!value.is_object()) continue;
    const auto type = value.find("type");
    if (type != value.end() && type->is_string()) {
      out[before + name] = type->get<std::string>();
    } else {
      add_types(value, before + name + ".", out);
    }
  }
}

// One category for each value, also for "none"; the rarest share one where there are too many.
std::optional<Axis> categories_of(const std::vector<const json*>& column) {
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> texts;
  texts.reserve(column.size());
  for (const json* value : column) {
    texts.push_back(value == nullptr ? std::string() : value->dump(-1, ' ', false, json::error_handler_t::replace));
    counts[texts.back()] += 1;
  }
  if (counts.size() < 2) return std::nullopt;
  std::vector<std::pair<std::string, std::size_t>> ordered(counts.begin(), counts.end());
  std::ranges::sort(ordered, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::map<std::string, double> places;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    places[ordered[i].first] = static_cast<double>(std::min(i, std::size_t{kMostCategories} - 1));
  }
  Axis axis{.categories = static_cast<int>(std::min(ordered.size(), std::size_t{kMostCategories})), .places = {}};
  for (const std::string& text : texts) axis.places.push_back(places[text]);
  return axis;
}

// From 0 to 1, those without a value at the end, with a part of the axis as large as theirs of the trials.
std::optional<Axis> numbers_of(const std::vector<const json*>& column, bool is_log) {
  double low = 0;
  double high = 0;
  std::size_t count = 0;
  for (const json* value : column) {
    if (value == nullptr) continue;
    const double number = value->get<double>();
    low = count == 0 ? number : std::min(low, number);
    high = count == 0 ? number : std::max(high, number);
    count += 1;
  }
  const double part = static_cast<double>(count) / static_cast<double>(column.size());
  if (count == 0 || (low == high && count == column.size())) return std::nullopt;
  const bool by_log = is_log && low > 0;
  const auto scaled = [&](double number) { return by_log ? std::log(number) : number; };
  const double range = scaled(high) - scaled(low);
  Axis axis;
  for (const json* value : column) {
    const double place = value == nullptr || !(range > 0) ? 0.5 : (scaled(value->get<double>()) - scaled(low)) / range;
    axis.places.push_back(value == nullptr ? part + (1 - part) / 2 : std::clamp(place, 0.0, 1.0) * part);
  }
  return axis;
}

std::optional<Axis> axis_of(const std::vector<const json*>& column, const std::string& type) {
  const auto is_number = [](const json* value) { return value == nullptr || value->is_number(); };
  if (type == "categorical" || !std::ranges::all_of(column, is_number)) return categories_of(column);
  // A range that is no number, as of 1e308 and -1e308, has no places.
  auto axis = numbers_of(column, type == "log");
  if (axis && !std::ranges::all_of(axis->places, [](double place) { return std::isfinite(place); }))
    return std::nullopt;
  return axis;
}

// From 0 to 1 between the fences; empty where all are the same.
std::vector<double> scaled(std::vector<double> values) {
  std::vector<double> sorted = values;
  std::ranges::sort(sorted);
  const double lower = sorted[sorted.size() / 4];
  const double upper = sorted[sorted.size() * 3 / 4];
  double low = sorted.front();
  double high = sorted.back();
  if (upper > lower) {
    low = std::max(low, lower - kFence * (upper - lower));
    high = std::min(high, upper + kFence * (upper - lower));
  }
  if (!(high > low)) return {};
  // Halves first: the range of the largest numbers is none.
  for (double& value : values) value = (std::clamp(value, low, high) / 2 - low / 2) / (high / 2 - low / 2);
  return values;
}

}  // namespace

Importance importance_of(const std::vector<MeasuredTrial>& trials, const json& space) {
  std::vector<const MeasuredTrial*> used;
  for (const MeasuredTrial& trial : trials) {
    if (used.size() < kMostTrials && std::isfinite(trial.metric)) used.push_back(&trial);
  }
  Importance answer{.trials = used.size()};
  if (used.size() < kLeastTrials) {
    answer.reason = std::to_string(used.size()) + (used.size() == 1 ? " trial has" : " trials have") +
                    " ended with a metric; it takes " + std::to_string(kLeastTrials) + " to tell anything";
    return answer;
  }
  Columns columns(used.size());
  std::vector<double> metrics;
  for (std::size_t i = 0; i < used.size(); ++i) {
    columns.add(used[i]->hparams, i);
    metrics.push_back(used[i]->metric);
  }
  std::map<std::string, std::string> types;
  add_types(space, "", types);
  std::vector<Axis> axes;
  answer.left_out = columns.left_out();
  for (const auto& [name, column] : columns.by_name()) {
    auto axis = axis_of(column, types[name]);
    if (!axis) continue;
    if (axes.size() == kMostHyperparameters) {
      answer.left_out += 1;
      continue;
    }
    axes.push_back(std::move(*axis));
    answer.hyperparameters.push_back({.name = name, .share = {}});
  }
  metrics = scaled(std::move(metrics));
  if (axes.empty() || metrics.empty()) {
    answer.hyperparameters.clear();
    answer.reason = axes.empty() ? "all trials have the same hyperparameters" : "all trials have the same metric";
    return answer;
  }
  const Shares shares = shares_of(axes, metrics, kTrees, kSeed);
  for (std::size_t i = 0; i < axes.size(); ++i) answer.hyperparameters[i].share = shares.of_axis[i];
  std::ranges::sort(answer.hyperparameters, [](const auto& a, const auto& b) {
    return a.share.mean != b.share.mean ? a.share.mean > b.share.mean : a.name < b.name;
  });
  answer.together = shares.rest;
  answer.fit = shares.fit;
  return answer;
}

}  // namespace det::searcher
