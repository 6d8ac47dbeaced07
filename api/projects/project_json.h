#pragma once

// A project as the wire has it. Pure.

#include "store/cluster/workspace_rows.h"
#include "wire/forms.h"

namespace det::api {

[[nodiscard]] inline wire::Json project_json(const store::ProjectRow& row) {
  wire::Json json = {{"id", row.id.value},
                     {"name", row.name},
                     {"key", row.key},
                     {"workspaceId", row.workspace.value},
                     {"workspaceName", row.workspace_name},
                     {"description", row.description},
                     {"notes", row.notes},
                     {"numExperiments", row.experiments},
                     {"numActiveExperiments", row.active_experiments},
                     {"numRuns", row.trials},
                     {"archived", row.archived},
                     {"immutable", row.immutable},
                     {"userId", row.owner.value},
                     {"username", row.owner_name},
                     {"state", "WORKSPACE_STATE_" + std::string(to_string(row.state))},
                     {"errorMessage", row.error}};
  if (row.last_experiment_started_at) json["lastExperimentStartedAt"] = wire::time(*row.last_experiment_started_at);
  return json;
}

}  // namespace det::api
