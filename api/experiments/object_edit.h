#pragma once

// Edits of Kubernetes objects on behalf of REST: one field of spec, after a look at who owns it. Belongs to the io
// thread.

#include <string>

#include "api/call.h"
#include "store/experiments/experiment_rows.h"
#include "wire/forms.h"

namespace det::api {

// Sets spec.<field> (dotted: "config.resources.priority") of the experiment's object. Success when it has the value
// already. kAborted (409) when another manager keeps the field, saying who; kFailedPrecondition when the object is
// gone.
Task<Status> edit_experiment_spec(ApiServices& services, store::ExperimentRow row, std::string field, wire::Json value);

// Whether the experiment may be deleted with its object: kAborted (409) when another manager keeps that, which would
// make it again, as one that is still to be trained. Success where there is no object, or it is going.
Task<Status> check_deletable(ApiServices& services, store::ExperimentRow row);

// Asks the Trial object of trial `id` to stop: spec.stop = Kill. One that has no object is ended without it. Success
// when the object is gone.
Task<Status> kill_trial_of(ApiServices& services, store::ExperimentRow experiment, model::TrialId id);

}  // namespace det::api
