#pragma once

// Settings of an experiment that change while it runs: read from a request, written into its object, which is what the
// reconcilers follow. Belongs to the io thread.

#include "api/call.h"
#include "wire/request_fields.h"

namespace det::api {

// maxSlots (>= 0), weight (> 0) and priority (1 to 99), by the names of the configuration; those that are absent stay
// absent.
[[nodiscard]] Result<wire::Json> read_live_settings(wire::RequestFields fields);

// saveExperimentBest, saveTrialBest and saveTrialLatest (>= 0) of checkpointStorage, the same way.
[[nodiscard]] Result<wire::Json> read_save_settings(wire::RequestFields fields);

// Edits the object; the row is the caller's (ExperimentPatch::changed_live). What is saved of checkpoints may change
// after the experiment's end too, and after its object is gone. kFailedPrecondition for other settings when it has
// ended, kAborted (409) when somebody else keeps a field.
Task<Status> edit_live_settings(ApiServices& services, model::ExperimentId id, wire::Json settings);

}  // namespace det::api
