#pragma once

// What people ask of experiments that are there, one by one or many at once. Belongs to the io thread.

#include "api/services.h"
#include "base/result.h"
#include "base/task.h"
#include "model/ids.h"

namespace det::api {

enum class ExperimentVerb : std::uint8_t { kPause, kActivate, kCancel, kKill, kArchive, kUnarchive, kDelete };

// kNotFound when there is no such experiment, kFailedPrecondition where its state does not allow it. Who asked may be
// asked for by the caller: this looks at nobody's rights. Once it is done, readers see the effect, unless nobody
// reconciles within Settings::verb_patience: then they see it later.
Task<Status> apply_verb(ApiServices& services, ExperimentVerb verb, model::ExperimentId id);

// Until a new experiment has a trial, has left ACTIVE and PAUSED, or Settings::verb_patience is over: scripts ask for
// its trials at once.
Task<void> wait_for_first_trial(ApiServices& services, model::ExperimentId id);

}  // namespace det::api
