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
#include "operator/experiment/known_searches.h"
#include "operator/services.h"
#include "operator/trial/trial_work.h"
#include "searcher/search.h"

namespace det::op {

struct SearchState {
  std::vector<store::TrialRow> trials;  // those whose end the search did not know before this step, by id
  store::TrialCounts counts;            // of all
  // Trials that the search has stopped and whose rows do not say so yet.
  std::vector<model::TrialId> to_stop;
  std::vector<model::TrialId> ordered;  // those whose work (store::TrialWork) this step has changed
  std::vector<std::string> complaints;  // about reports of this step that the search could not use
  std::string note;                     // how it uses reports, where people should know; once
  bool is_widened = false;              // it may run more trials at once than was accepted
  bool is_over = false;                 // the search said so: every trial it wanted is over
  bool is_canceled = false;
  bool is_failed = false;
  double progress = 0;  // 0..1
};

// Whether a step of a search that failed so fails again, unlike one that came while the database was away, or for a
// leader that is none any more.
[[nodiscard]] bool is_lasting(const Error& error);

class SearchDriver {
 public:
  explicit SearchDriver(OperatorServices& services) : services_(services) {}

  // Takes in what happened since the last step, if anything: as one transaction, or as several where it is much.
  Task<Result<SearchState>> advance(store::ExperimentRow experiment, Logger log);
  // Forgets what it remembers of an experiment that is over.
  void forget(model::ExperimentId experiment) { searches_.erase(experiment); }

 private:
  // A search that has taken in the log up to `seq`.
  struct Running {
    std::string uid;  // of the Experiment object: one that is continued has another, and its search begins anew
    searcher::Search search;
    WorkPlan plan;
    std::int64_t most_at_once = 0;  // trials that a step creates
    std::int64_t seq = 0;
    std::unordered_set<searcher::RequestId> created;                      // trials that the search has made
    std::unordered_set<searcher::RequestId> closed;                       // trials whose end the search knows
    store::TrialCounts ended;                                             // those, by how they ended
    std::unordered_map<searcher::RequestId, searcher::ExitReason> early;  // of trials whose end is about to be told
    searcher::Shutdown shutdown;
    bool is_over = false;
    bool has_noted = false;

    // Remembers what `event` and `decisions` say about ends.
    void note(const searcher::Event& event, const searcher::Decisions& decisions);
    [[nodiscard]] bool knows_end_of(const store::TrialRow& trial) const;
    [[nodiscard]] bool has_made(const store::TrialRow& trial) const;
    // Its trial is over, and it was not told yet.
    [[nodiscard]] bool is_owed_end_of(const store::TrialRow& trial) const;
    // Trials that are not over, with those that the step makes.
    [[nodiscard]] std::int64_t open_after(const store::SearcherStep& step,
                                          const std::vector<store::TrialRow>& trials) const;
  };
  using Step = store::SearcherStep;

  Task<Result<std::shared_ptr<Running>>> restore(store::ExperimentRow experiment);
  // What the rows alone say.
  Task<Result<SearchState>> without_search(store::ExperimentRow experiment);
  // Lets the search take `event` and everything that follows from its decisions at once; adds both to `step`.
  static Status take(Running& running, const searcher::Event& event, std::optional<std::int64_t> inbox_id, Step& step);
  // Feeds one input to the search, or sets it aside; adds to `step` and to what `state` says to people.
  static void take_input(Running& running, const store::PendingInput& item, SearchState& state, Step& step, Logger log);
  // Tells the search, as far as there is room, that people let more trials run at once than it makes room for.
  static Status widen(Running& running, const store::ExperimentRow& experiment,
                      const std::vector<store::TrialRow>& trials, Step& step);
  static Status tell_ends(Running& running, const std::vector<store::TrialRow>& trials, Step& step);
  static Result<bool> release(Running& running, const std::vector<store::TrialRow>& trials, Step& step);
  static Result<Step> next_step(Running& running, const store::ExperimentRow& experiment,
                                const store::PendingInputPage& input, const std::vector<store::TrialRow>& trials,
                                SearchState& state, Logger log);
  // Whether it took all input. Fills in the trials of `state`, which outlives it.
  Task<Result<bool>> make_step(std::shared_ptr<Running> running, store::ExperimentRow experiment, SearchState& state,
                               Logger log);
  // Forgets the search where that fails.
  Task<Status> write(std::shared_ptr<Running> running, Step step);
  // Writes what the trials are to train where their rows do not say so yet; adds those to `ordered`, which outlives it.
  Task<Status> order_work(std::shared_ptr<Running> running, std::vector<store::TrialRow> trials,
                          std::vector<model::TrialId>& ordered);

  OperatorServices& services_;
  KnownSearches<std::shared_ptr<Running>> searches_;
};

}  // namespace det::op
