#pragma once

// Between searches and trials of two generations: what input from a trial means to its search, and what a trial is told
// to train. Which protocol a search runs in stands in its configuration (searcher::generation_of), so that its log
// replays; which one a trial speaks is its image's choice and shows when it first asks for work. Each fits each. Pure.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/expconf/experiment_config.h"
#include "searcher/search.h"
#include "store/trials/trial_rows.h"

namespace det::op {

// What the searcher's section says about this.
struct WorkPlan {
  searcher::Generation generation = searcher::Generation::kCurrent;
  bool is_custom = false;                  // somebody outside searches
  std::optional<std::int64_t> max_length;  // in its own unit
  std::string unit;                        // of max_length: "batches", "epochs", "records"; empty: a plain number
  std::string metric;
  bool smaller_is_better = true;
};

[[nodiscard]] WorkPlan work_plan(const model::SearcherConfig& config);

// The next event that `input` (a report of an operation or of a validation, what the runner of a custom search wants or
// hears; as it waits in the inbox) is to the search;
// nothing when it says nothing (more). Ask again after the search took the event: one validation of a trial that does
// not ask for work can answer several operations. kInvalidArgument for input of an unknown kind, kFailedPrecondition
// for what the search must not hear.
[[nodiscard]] Result<std::optional<searcher::Event>> event_of_input(const WorkPlan& plan,
                                                                    const searcher::Search& search,
                                                                    const store::TrialRow* trial,
                                                                    const nlohmann::json& input);

// What the trial's row should say and does not; nothing when it is right.
[[nodiscard]] std::optional<store::WorkOrder> work_order(const WorkPlan& plan, const searcher::Search& search,
                                                         const store::TrialRow& trial);

// The sentence for people when a search by operations measures its rungs on the reports of trials that do not ask.
[[nodiscard]] std::string measured_rungs_note(const WorkPlan& plan);

}  // namespace det::op
