#pragma once

// The one interface between an experiment and whatever searches its hyperparameters: events in, decisions out. The
// experiment reports each event once, in one order, and carries out the decisions in the order given; nothing else is
// shared. Values; pure.

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "searcher/prng.h"

namespace det::searcher {

// ---- decisions

// Start one trial with these hyperparameters; answered by TrialCreated before the next decision is carried out.
struct Create {
  std::string request_id;
  std::uint32_t trial_seed = 0;
  nlohmann::json hparams;

  bool operator==(const Create&) const = default;
};
// The trial has trained enough.
struct Stop {
  std::string request_id;

  bool operator==(const Stop&) const = default;
};
// The search is over. At most one flag is set, and only when it is true of every trial.
struct Shutdown {
  bool is_canceled = false;
  bool is_failed = false;

  bool operator==(const Shutdown&) const = default;
};

struct Decision {
  std::variant<Create, Stop, Shutdown> action;
  std::string reason;  // why, for people

  bool operator==(const Decision&) const = default;
};
using Decisions = std::vector<Decision>;

// ---- events

enum class ExitReason : std::uint8_t { kErrored, kUserRequestedStop, kUserCanceled, kInvalidHp, kInitInvalidHp };

struct Started {};  // the first event of every search
struct TrialCreated {
  std::string request_id;
};
struct Validated {
  std::string request_id;
  nlohmann::json metrics;  // object: name -> value
};
// The trial ends before its time; Exited follows.
struct ExitedEarly {
  std::string request_id;
  ExitReason reason = ExitReason::kErrored;
};
struct Exited {
  std::string request_id;
};
struct Progressed {
  std::string request_id;
  double fraction = 0;  // of the trial's own work, 0..1
};
using Event = std::variant<Started, TrialCreated, Validated, ExitedEarly, Exited, Progressed>;

// ---- methods

// What a method may use and look at besides its own state.
struct SearchContext {
  Prng& prng;
  const nlohmann::json& hyperparameters;                // normalised
  const std::map<std::string, double>& trial_progress;  // by request id; trials that count
  const std::map<std::string, bool>& trials_closed;
};

// Decides for one kind of searcher. Shutdown is not its business: Search adds it.
class SearchMethod {
 public:
  virtual ~SearchMethod() = default;
  virtual Decisions initial_trials(SearchContext& context) = 0;
  virtual Decisions trial_created(SearchContext& context, const std::string& request_id) = 0;
  // kInvalidArgument when the metrics lack what the method decides by.
  virtual Result<Decisions> validated(SearchContext& context, const Validated& event) = 0;
  virtual Decisions exited_early(SearchContext& context, const ExitedEarly& event) = 0;
  virtual Decisions exited(SearchContext& context, const std::string& request_id) = 0;
  // Of the whole search, 0..1; may be NaN where nothing has begun.
  [[nodiscard]] virtual double progress(const SearchContext& context) const = 0;
  [[nodiscard]] virtual nlohmann::json state() const = 0;
  // Takes over what state() gave. kDataLoss for the state of another method.
  virtual Status restore(const nlohmann::json& state) = 0;
};

}  // namespace det::searcher
