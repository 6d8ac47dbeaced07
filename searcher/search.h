#pragma once

// A running search: the generator, the books on its trials and one method. The same events give the same decisions,
// always; a search restored from a snapshot goes on as if it had never stopped. A value owned by the experiment's
// reconciler; pure.

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "model/experiment_config.h"
#include "searcher/search_method.h"

namespace det::searcher {

// Upstream's number of the snapshot's layout.
inline constexpr int kSnapshotVersion = 6;

class Search {
 public:
  // `hyperparameters`: the normalised section.
  Search(std::unique_ptr<SearchMethod> method, nlohmann::json hyperparameters, std::uint32_t seed);

  // What to do after `event`, in order. kInvalidArgument for a trial that was never created or for metrics the method
  // cannot use: the state is then as before.
  [[nodiscard]] Result<Decisions> take(const Event& event);

  // 0..1.
  [[nodiscard]] double progress() const;

  // {"version": 6, "searcher_state": ...}; the inner object is laid out as upstream's.
  [[nodiscard]] nlohmann::json snapshot() const;
  // Goes back to `snapshot`, which must be of a search of the same configuration. kDataLoss when it is malformed or of
  // another method or version; the search must not be used then.
  [[nodiscard]] Status restore(const nlohmann::json& snapshot);

 private:
  using Marks = std::map<std::string, bool>;

  Result<Decisions> on(const Started& event);
  Result<Decisions> on(const TrialCreated& event);
  Result<Decisions> on(const Validated& event);
  Result<Decisions> on(const ExitedEarly& event);
  Result<Decisions> on(const Exited& event);
  Result<Decisions> on(const Progressed& event);
  Status check_known(const std::string& request_id) const;
  Decisions counted(Decisions decisions);
  void shut_down_if_over(Decisions& decisions, bool may_be_canceled) const;
  SearchContext context();

  std::unique_ptr<SearchMethod> method_;
  nlohmann::json hyperparameters_;
  Prng prng_;
  std::int64_t trials_requested_ = 0;
  Marks trials_created_;
  Marks trials_closed_;
  Marks exits_;
  Marks cancels_;
  Marks failures_;
  std::map<std::string, double> trial_progress_;
};

// The search that `config` asks for, before its first event. kUnimplemented, with the field, for a searcher that this
// version does not run.
[[nodiscard]] Result<Search> make_search(const model::SearcherConfig& config, nlohmann::json hyperparameters,
                                         std::uint32_t seed);

}  // namespace det::searcher
