#pragma once

// Runs the search of an experiment on its event log: what happened is taken in an order of our choosing, written down
// together with what was decided, and only then acted on. After a crash the log gives the same search back. Belongs to
// the io thread.

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/log.h"
#include "operator/services.h"
#include "searcher/search.h"

namespace det::op {

struct SearchState {
  std::vector<store::TrialRow> trials;  // all of the experiment, by id
  // Trials that the search has stopped and whose rows do not say so yet.
  std::vector<model::TrialId> to_stop;
  std::vector<std::string> complaints;  // about reports of this step that the search could not use
  bool is_over = false;                 // the search said so: every trial it wanted is over
  bool is_canceled = false;
  bool is_failed = false;
  double progress = 0;  // 0..1
};

class SearchDriver {
 public:
  explicit SearchDriver(Services& services) : services_(services) {}

  // Takes in what happened since the last step, if anything, as one transaction.
  Task<Result<SearchState>> advance(store::ExperimentRow experiment, Logger log);
  // Forgets what it remembers of an experiment that is over.
  void forget(model::ExperimentId experiment) { searches_.erase(experiment); }

 private:
  // A search that has taken in the log up to `seq`.
  struct Running {
    searcher::Search search;
    std::int64_t seq = 0;
    std::unordered_set<std::string> closed;  // request ids whose end the search knows
    searcher::Shutdown shutdown;
    bool is_over = false;
  };
  using Step = store::SearcherStep;

  Task<Result<std::shared_ptr<Running>>> restore(store::ExperimentRow experiment);
  // Lets the search take `event` and everything that follows from its decisions at once; adds both to `step`.
  static Status take(Running& running, const searcher::Event& event, std::optional<std::int64_t> inbox_id, Step& step);
  Task<Result<Step>> next_step(Running& running, store::ExperimentRow experiment, std::vector<store::TrialRow> trials,
                               std::vector<std::string>& complaints, Logger log);

  Services& services_;
  std::unordered_map<model::ExperimentId, std::shared_ptr<Running>> searches_;
};

}  // namespace det::op
