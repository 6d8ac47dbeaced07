#pragma once

// What people ask of experiments that are there, one by one or many at once. Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "api/services.h"
#include "base/result.h"
#include "base/task.h"
#include "model/ids.h"
#include "model/states.h"

namespace det::api {

enum class ExperimentVerb : std::uint8_t { kPause, kActivate, kCancel, kKill, kArchive, kUnarchive, kDelete };

// kNotFound when there is no such experiment, kFailedPrecondition where its state does not allow it, kAborted where
// another manager keeps its object. Who asked may be asked for by the caller: this looks at nobody's rights. Once it is
// done, readers see the effect, unless nobody reconciles within Settings::verb_patience: then they see it later.
Task<Status> apply_verb(ApiServices& services, ExperimentVerb verb, model::ExperimentId id);

// What was asked of an experiment and may not be seen yet: readers still find it in one of these states.
struct Unseen {
  model::ExperimentId id;
  std::vector<model::ExperimentState> before;
};
// The same in two steps, for many experiments: the first waits for nothing, the second once for all of them, and no
// longer than for one.
Task<Result<std::optional<Unseen>>> begin_verb(ApiServices& services, ExperimentVerb verb, model::ExperimentId id);
Task<void> wait_until_seen(ApiServices& services, std::vector<Unseen> unseen);
// Until `is_seen` has said so of each, or for `patience`.
Task<void> wait_until_seen(Clock& clock, std::chrono::milliseconds patience, std::vector<Unseen> unseen,
                           std::function<Task<bool>(const Unseen&)> is_seen);

// Until a new experiment has a trial, has left ACTIVE and PAUSED, or Settings::verb_patience is over: scripts ask for
// its trials at once.
Task<void> wait_for_first_trial(ApiServices& services, model::ExperimentId id);

}  // namespace det::api
