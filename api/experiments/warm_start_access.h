#pragma once

// Where an experiment starts from must be its submitter's to look at. Belongs to the io thread.

#include "api/call.h"

namespace det::api {

// As require_trials and require_checkpoints, of what `config`, a configuration or an override of one, says in
// searcher.source_trial_id and searcher.source_checkpoint_uuid. `config` outlives it.
Task<Status> require_warm_start(ApiServices& services, Identity caller, const wire::Json& config);

}  // namespace det::api
