#pragma once

// The ids of the things people name: integers of the database as strong types, and the texts that are made of them.
// Pure values.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/strong_id.h"

namespace det::model {

using ExperimentId = StrongId<struct ExperimentTag>;
using TrialId = StrongId<struct TrialTag>;
using UserId = StrongId<struct UserTag>;
using WorkspaceId = StrongId<struct WorkspaceTag>;
using ProjectId = StrongId<struct ProjectTag>;
using RegisteredModelId = StrongId<struct RegisteredModelTag>;
using UserGroupId = StrongId<struct UserGroupTag>;
using RoleId = StrongId<struct RoleTag>;

// "7.142ccb98-66d6-4027-b918-2272d241ef27": the task of one trial. `request_id` is the searcher's UUID of the trial.
[[nodiscard]] std::string trial_task_id(ExperimentId experiment, std::string_view request_id);
// "<task id>.<run>": one attempt at a task; runs count from 1.
[[nodiscard]] std::string allocation_id(std::string_view task_id, std::int64_t run);

}  // namespace det::model
