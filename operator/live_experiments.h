#pragma once

// What changes about experiments while they run and their trials have to know at once: settings that people change, and
// searches that make room for more trials than was accepted. Written by the experiments' reconciler, read by the
// trials'. Belongs to the io thread.

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "model/ids.h"
#include "store/experiments/experiment_rows.h"

namespace det::op {

class LiveExperiments {
 public:
  // The settings in force. The row may be older than what was noted since; where nothing was, it has them. Good until
  // the next note() or forget().
  [[nodiscard]] const nlohmann::json& settings(const store::ExperimentRow& row) const {
    const auto noted = settings_.find(row.id);
    return noted == settings_.end() ? row.live : noted->second;
  }

  // Returns whether they differ from those in force so far. An experiment of which nothing was noted had none.
  bool note(model::ExperimentId experiment, const nlohmann::json& settings) {
    const auto [noted, is_first] = settings_.try_emplace(experiment, settings);
    if (is_first) return !settings.empty();
    return std::exchange(noted->second, settings) != settings;
  }

  // Returns whether it was not widened before.
  bool widen(model::ExperimentId experiment) { return widened_.insert(experiment).second; }
  [[nodiscard]] bool is_widened(model::ExperimentId experiment) const { return widened_.contains(experiment); }

  // An experiment that is over.
  void forget(model::ExperimentId experiment) {
    settings_.erase(experiment);
    widened_.erase(experiment);
  }

 private:
  std::unordered_map<model::ExperimentId, nlohmann::json> settings_;
  std::unordered_set<model::ExperimentId> widened_;
};

}  // namespace det::op
