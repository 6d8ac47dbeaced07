#pragma once

// A running search: the generator, the books on its trials and one method. The same events give the same decisions,
// always; a search restored from a snapshot goes on as if it had never stopped. A value owned by the experiment's
// reconciler; pure.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "searcher/search_method.h"

namespace det::searcher {

// Which of the two protocols of searcher/search_method.h the trials speak.
enum class Generation : std::uint8_t {
  kCurrent,     // Determined 0.38: Validated, Stop
  kOperations,  // 0.37 and before: ValidateAfter, OperationCompleted, Close
};

// Upstream's number of the snapshot's layout: 6 in 0.38, 5 in 0.37.
[[nodiscard]] constexpr int snapshot_version(Generation generation) {
  return generation == Generation::kCurrent ? 6 : 5;
}

class Search {
 public:
  // `hyperparameters`: the normalised section. make_search (searcher/make_search.h) puts one together from a
  // configuration.
  Search(std::unique_ptr<SearchMethod> method, const nlohmann::json& hyperparameters, std::uint32_t seed,
         Generation generation = Generation::kCurrent);

  // What to do after `event`, in order; nothing for an event that was taken before. kInvalidArgument for a trial that
  // this search never created, for metrics the method cannot use, for an operation that was not handed out or is
  // answered twice: the state is then as before. A search that is over decides nothing more.
  [[nodiscard]] Result<Decisions> take(const Event& event);

  // How many trials at once it was last widened to; 0: it was not.
  [[nodiscard]] std::int64_t width() const { return width_; }
  // First trials that were decided and are held back (Started::limit).
  [[nodiscard]] bool holds_back() const { return !held_back_.empty(); }
  // 0..1.
  [[nodiscard]] double progress() const;
  // Shutdown was decided.
  [[nodiscard]] bool is_over() const;
  // True once Stop was decided for the trial: what it still reports is late. Feeding that changes the results of its
  // rung and can create more trials than may run at once, as with upstream; callers that want neither leave it out.
  [[nodiscard]] bool is_stopped(RequestId request_id) const;

  // The work that a trial was given last; nothing in a search that hands out none.
  struct Work {
    std::int64_t length = 0;
    bool is_complete = false;
    bool is_last = false;  // Close was decided
  };
  [[nodiscard]] std::optional<Work> work_of(RequestId request_id) const;

  // {"version": n, "searcher_state": ..., "trial_searcher_state": ...}; laid out as upstream's, where the last one
  // holds only what the search itself must know of its trials.
  [[nodiscard]] nlohmann::json snapshot() const;
  // What outline_of() takes. Null for a search without rungs.
  [[nodiscard]] nlohmann::json rungs() const;
  // Goes back to `snapshot`, which must be of a search of the same configuration. A current search also reads version 5
  // of single, random and grid. kDataLoss when it is malformed or of another method or version; the search must not be
  // used then.
  [[nodiscard]] Status restore(const nlohmann::json& snapshot);

 private:
  Result<Decisions> on(const Started& event);
  Result<Decisions> on(const TrialCreated& event);
  Result<Decisions> on(const Validated& event);
  Result<Decisions> on(const OperationCompleted& event);
  Result<Decisions> on(const ExitedEarly& event);
  Result<Decisions> on(const Exited& event);
  Result<Decisions> on(const Progressed& event);
  Result<Decisions> on(const Commanded& event);
  Result<Decisions> on(const Widened& event);
  Result<Decisions> on(const Released& event);
  [[nodiscard]] std::optional<TrialNumber> created_trial(RequestId request_id) const;
  [[nodiscard]] Status check_operation(TrialNumber trial, std::int64_t length) const;
  // The next decisions that were held back, with up to `limit` trials.
  Decisions release(std::int64_t limit);
  // Writes down what of the decisions the books are about.
  void note(const Decisions& decisions);
  // Adds, where there is a runner, that it is told of `event`.
  void tell_runner(const Event& event, Decisions& decisions);
  void shut_down_if_over(Decisions& decisions) const;
  SearchContext context();

  [[nodiscard]] nlohmann::json searcher_state() const;
  [[nodiscard]] nlohmann::json trial_states() const;
  Status restore_books(const nlohmann::json& state, bool is_shimmed);
  Status restore_trial_states(const nlohmann::json& states);

  std::unique_ptr<SearchMethod> method_;
  std::shared_ptr<const HparamSpace> space_;
  Generation generation_;
  Prng prng_;
  TrialBooks trials_;
  std::int64_t trials_requested_ = 0;
  bool has_runner_;
  bool is_shut_down_ = false;  // by the runner
  std::int64_t width_ = 0;     // how many trials at once it was widened to; 0: never
  std::deque<Decision> held_back_;
  // Only used by searches of operations.
  std::unordered_map<TrialNumber, Work> operations_;
  std::set<std::pair<TrialNumber, std::int64_t>> completed_;  // trial, length
};

}  // namespace det::searcher
