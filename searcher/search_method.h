#pragma once

// The one interface between an experiment and whatever searches its hyperparameters: events in, decisions out. The
// experiment reports each event once, in one order, and carries out the decisions in the order given; nothing else is
// shared. Values; pure.
//
// Two generations speak through it. Since Determined 0.38 a trial trains by itself until it is done or told to Stop,
// and its validation reports say how far it is (Validated). Before, the search handed out work: ValidateAfter a total
// length, answered by OperationCompleted, and Close when no more would come.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "searcher/prng.h"
#include "searcher/reason.h"
#include "searcher/request_id.h"
#include "searcher/sample.h"
#include "searcher/trial_books.h"

namespace det::searcher {

// ---- decisions

// Start one trial with these hyperparameters; answered by TrialCreated before the next decision is carried out.
struct Create {
  RequestId request_id;
  std::uint32_t trial_seed = 0;
  Hparams hparams;

  bool operator==(const Create&) const = default;
};
// The trial has trained enough.
struct Stop {
  RequestId request_id;

  bool operator==(const Stop&) const = default;
};
// Before 0.38: train until `length` in all, in the unit of searcher.max_length, then validate.
struct ValidateAfter {
  RequestId request_id;
  std::int64_t length = 0;

  bool operator==(const ValidateAfter&) const = default;
};
// Before 0.38: no more work comes; the trial ends when it has done what it was given.
struct Close {
  RequestId request_id;

  bool operator==(const Close&) const = default;
};
// The search is over. At most one flag is set, and only when it is true of every trial.
struct Shutdown {
  bool is_canceled = false;
  bool is_failed = false;

  bool operator==(const Shutdown&) const = default;
};

// A custom search: tell its runner, outside the cluster, what happened and wait for what it wants.
struct Tell {
  std::int64_t number = 0;  // 1, 2, 3, ... per search
  nlohmann::json event;     // to_json of it, searcher/event_json.h

  bool operator==(const Tell&) const = default;
};

struct Decision {
  std::variant<Create, Stop, ValidateAfter, Close, Shutdown, Tell> action;
  Reason reason;

  bool operator==(const Decision&) const = default;
};
using Decisions = std::vector<Decision>;

// ---- events

enum class ExitReason : std::uint8_t { kErrored, kUserRequestedStop, kUserCanceled, kInvalidHp, kInitInvalidHp };

// True for the two reasons that say the hyperparameters cannot be used.
[[nodiscard]] constexpr bool is_invalid_hp(ExitReason reason) {
  return reason == ExitReason::kInvalidHp || reason == ExitReason::kInitInvalidHp;
}

// The first event of every search. With a limit, no more than that many trials are created at once; what the method
// decided beyond that is held back and comes with Released, in the same order. 0: no limit.
struct Started {
  std::int64_t limit = 0;
  // Whether those that are held back count among max_trials from the start. Logs of before November 2026 do not say so:
  // there halving counted a trial when it was made, and made others in the place of those that were still to come.
  bool is_counted = false;
  // The same of halving with promotion, which the first logs that count do not say: what was held back came on top
  // there, and a search of thousands of first trials never ended.
  bool is_counted_for_promotion = false;
};
// There is room for up to `limit` more of the trials that were held back.
struct Released {
  std::int64_t limit = 0;
};
struct TrialCreated {
  RequestId request_id;
};
struct Validated {
  RequestId request_id;
  nlohmann::json metrics;  // object: name -> value
};
// Before 0.38: the answer to ValidateAfter of the same length.
struct OperationCompleted {
  RequestId request_id;
  std::int64_t length = 0;
  double metric = 0;
  nlohmann::json answer = nullptr;  // what the trial said instead of a number; only a custom search can use it
};
// The trial ends before its time; Exited follows.
struct ExitedEarly {
  RequestId request_id;
  ExitReason reason = ExitReason::kErrored;
};
struct Exited {
  RequestId request_id;
};
struct Progressed {
  RequestId request_id;
  double fraction = 0;  // of the trial's own work, 0..1; before 0.38 a length
};
// A custom search: what its runner wants, in answer to what it was told under `number`. Create, ValidateAfter, Close
// and Shutdown in the order of the runner; a Create of a trial that is there already has no effect.
struct Commanded {
  std::int64_t number = 0;
  std::vector<Decision> wishes;
  std::optional<double> progress;  // of the whole search, 0..1
};
// People let more trials run at once than before: `to` instead of `from`, both >= 1. Fewer is not the search's
// business: its trials wait for each other then.
struct Widened {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
using Event = std::variant<Started, TrialCreated, Validated, OperationCompleted, ExitedEarly, Exited, Progressed,
                           Commanded, Widened, Released>;

// ---- methods

// What a method may use and look at besides its own state.
struct SearchContext {
  Prng& prng;
  const std::shared_ptr<const HparamSpace>& space;
  TrialBooks& trials;                       // the method enters the trials that it creates, no more
  bool counts_drawn = false;                // Started::is_counted
  bool counts_drawn_for_promotion = false;  // Started::is_counted_for_promotion
};

// Decides for one kind of searcher. Shutdown is not its business: Search adds it. Trials are those of the books.
class SearchMethod {
 public:
  virtual ~SearchMethod() = default;
  virtual Decisions initial_trials(SearchContext& context) = 0;
  virtual Decisions trial_created(SearchContext& context, TrialNumber trial) = 0;
  // kInvalidArgument when the metrics lack what the method decides by; nothing has changed then.
  virtual Result<Decisions> validated(SearchContext& context, TrialNumber trial, const nlohmann::json& metrics) = 0;
  virtual Decisions operation_completed(SearchContext& context, TrialNumber trial, double metric) = 0;
  // Somebody outside decides (searcher/custom_search.h), also when the search is over: the following two are for that.
  [[nodiscard]] virtual bool has_runner() const { return false; }
  // Whether state() has what outline_of() shows; that of others may be large.
  [[nodiscard]] virtual bool has_rungs() const { return false; }
  // Every event that had an effect, after the method heard of it by the function above.
  virtual Decisions told(const Event& /*event*/) { return {}; }
  virtual Result<Decisions> commanded(SearchContext& /*context*/, const Commanded& /*event*/) { return Decisions(); }
  // Creates up to `to` - `from` trials, as far as more are wanted; from then on each that ends makes room for another.
  virtual Decisions widened(SearchContext& /*context*/, std::int64_t /*from*/, std::int64_t /*to*/) { return {}; }
  virtual Decisions exited_early(SearchContext& context, TrialNumber trial, ExitReason reason) = 0;
  virtual Decisions exited(SearchContext& context, TrialNumber trial) = 0;
  // Of the whole search, 0..1; may be NaN where nothing has begun.
  [[nodiscard]] virtual double progress(const TrialBooks& trials) const = 0;
  // Laid out as upstream's; ids as text.
  [[nodiscard]] virtual nlohmann::json state(const TrialBooks& trials) const = 0;
  // Takes over what state() gave; enters the ids that it finds. kDataLoss for the state of another method or of
  // another configuration; the method must not be used then.
  virtual Status restore(SearchContext& context, const nlohmann::json& state) = 0;
};

}  // namespace det::searcher
