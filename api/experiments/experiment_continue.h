#pragma once

// Continues an experiment that is over, under its number: trials that did not complete (for a single search, the trial
// whatever it did) go on from their checkpoints. Belongs to the io thread.

#include <string>
#include <vector>

#include "api/call.h"
#include "model/ids.h"
#include "wire/forms.h"

namespace det::api {

// `override_yaml`: a mapping that is laid over the experiment's configuration, for `single` only; may be empty. The old
// Experiment object is replaced, because what it asked for last (stop) cannot be taken back. May be called again after
// any failure. It goes on with its owner's token, whoever asks; only the owner and admins may therefore say what runs:
// kPermissionDenied for an override by others. kInvalidArgument while the experiment is not over, for searchers that
// cannot be continued, for a search that is complete, and for a configuration that is wrong; kAborted when another
// manager keeps the object.
// What of the override has no effect is the answer, one sentence each.
Task<Result<std::vector<std::string>>> continue_experiment(ApiServices& services, model::ExperimentId id,
                                                           std::string override_yaml, Identity caller);

}  // namespace det::api
