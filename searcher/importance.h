#pragma once

// How much each hyperparameter of a search had to do with how good its trials became. Pure, but up to about a second of
// work: callers on the io thread use a pool.

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "searcher/forest.h"

namespace det::searcher {

inline constexpr std::size_t kLeastTrials = 8;            // that say anything
inline constexpr std::size_t kMostTrials = 1000;          // that are looked at
inline constexpr std::size_t kMostHyperparameters = 100;  // the first by name

struct MeasuredTrial {
  nlohmann::json hparams;
  double metric = 0;  // its best; the direction does not matter
};

struct HyperparameterImportance {
  std::string name;  // {"net": {"width": 3}} is net.width
  Share share;

  bool operator==(const HyperparameterImportance&) const = default;
};

struct Importance {
  std::size_t trials = 0;                                 // that were looked at
  std::vector<HyperparameterImportance> hyperparameters;  // those in which trials differ, the most important first
  Share together;                                         // what only several of them together explain
  double fit = 0;                                         // Shares::fit
  std::size_t left_out = 0;                               // at least so many beyond kMostHyperparameters
  std::string reason;                                     // why there is no answer, for people; empty: there is

  bool operator==(const Importance&) const = default;
};

// `space` is the configuration's `hyperparameters`: it says which are logarithmic or categorical. Trials whose metric
// is no finite number do not count, nor do those beyond the first kMostTrials. A metric more than three times the
// interquartile range away from the middle half counts as if it were there: one diverged trial would else be all that
// there is to explain. A value that a trial does not have is a place of its own.
[[nodiscard]] Importance importance_of(const std::vector<MeasuredTrial>& trials, const nlohmann::json& space);

}  // namespace det::searcher
