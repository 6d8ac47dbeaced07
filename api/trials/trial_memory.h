#pragma once

// What does not change while an experiment runs and is needed for each of its reports, remembered so that a report
// costs no query. Belongs to the io thread; the stores outlive it.

#include <cstdint>
#include <optional>
#include <string>

#include "base/bounded_map.h"
#include "base/result.h"
#include "base/task.h"
#include "model/ids.h"
#include "store/experiments/experiment_store.h"
#include "store/trials/trial_store.h"

namespace det::api {

struct TrialContext {
  model::TrialId trial;
  model::ExperimentId experiment;
  std::string request_id;
  std::string task_id;
  std::string metric;  // of the searcher
  bool smaller_is_better = true;
  std::string time_metric;           // of the searcher, empty when it has none
  bool is_unmanaged = false;         // no search listens
  bool is_custom = false;            // a custom search, whose lengths its runner chooses
  std::optional<double> max_length;  // searcher.max_length without its unit
  std::string length_unit;           // of lengths: "batches", "epochs", "records"; empty: a plain number
  double records_per_batch = 0;      // hyperparameter global_batch_size, 0: none
};

class TrialMemory {
 public:
  TrialMemory(store::TrialStore& trials, store::ExperimentStore& experiments)
      : trials_(trials), experiments_(experiments) {}

  // kNotFound "trial '7' not found".
  Task<Result<TrialContext>> facts(model::TrialId id);
  // When the state of an experiment has changed: one that is continued may have another configuration.
  void forget(model::ExperimentId experiment) {
    ++forgets_;
    known_.erase_if([experiment](model::TrialId, const TrialContext& one) { return one.experiment == experiment; });
  }
  void forget_all() {
    ++forgets_;
    known_.clear();
  }

 private:
  store::TrialStore& trials_;
  store::ExperimentStore& experiments_;
  BoundedMap<model::TrialId, TrialContext> known_{20'000};
  std::uint64_t forgets_ = 0;  // what was read before one of them is not remembered
};

// What `config` (frozen) says to a trial's reports. Pure.
[[nodiscard]] TrialContext facts_of(const store::TrialRow& trial, const nlohmann::json& config);

}  // namespace det::api
