#pragma once

// What lists of experiments and runs can be filtered and sorted by: names as Determined's clients know them, and what
// of our tables each stands for. Statements know experiment `e`, its owner `u`, project `p` and workspace `w`, and run
// `r`, with its metadata `rm`: of a list of experiments the best one, which there need not be. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace det::store {

enum class ListPlace : std::uint8_t {
  kExperiment,
  kRun,
  kMetric,
  kHyperparameter,     // as the experiment's configuration has it: a constant, or what is searched
  kRunHyperparameter,  // the value that the run got
  kRunMetadata,
};

enum class ListKind : std::uint8_t {
  kInteger,
  kNumber,
  kText,
  kDate,
  kBoolean,
  kState,
};

// An expression per column. kPool in it stands for the name of the cluster's default pool, which experiments that name
// none run in.
struct ListColumn {
  std::string_view name;
  ListKind kind = ListKind::kText;
  std::string_view value;
  std::string_view order;  // by what a list is sorted, where NaN is missing; empty: by the value
};
inline constexpr std::string_view kPool = "{pool}";

// Of kExperiment and kRun; nullptr: there is none of this name.
[[nodiscard]] const ListColumn* find_list_column(ListPlace place, std::string_view name);

// "validation.loss.min".
enum class MetricNumber : std::uint8_t { kLast, kMin, kMax, kMean };
[[nodiscard]] std::string_view to_string(MetricNumber number);  // also the column of run_metrics
struct MetricColumn {
  std::string group;
  std::string name;
  MetricNumber number = MetricNumber::kLast;

  bool operator==(const MetricColumn&) const = default;
};
[[nodiscard]] std::optional<MetricColumn> parse_metric_column(std::string_view text);

// "hp.optimizer.lr" after its prefix: {"optimizer", "lr"}. Nothing for empty names, or more than 20.
[[nodiscard]] std::optional<std::vector<std::string>> parse_list_path(std::string_view text, std::string_view prefix);
// The same as PostgreSQL's jsonpath into a document in whose lists each element counts.
[[nodiscard]] std::string json_path(const std::vector<std::string>& path);

}  // namespace det::store
