#pragma once

// Rows of the stores as messages of the wire. Pure.

#include "store/checkpoints/checkpoint_store.h"
#include "store/experiments/experiment_rows.h"
#include "store/logs/log_store.h"
#include "store/metrics/metric_store.h"
#include "store/trials/allocation_store.h"
#include "store/trials/trial_rows.h"
#include "store/users/user_store.h"
#include "wire/checkpoint.h"
#include "wire/experiment.h"
#include "wire/log_record.h"
#include "wire/task.h"
#include "wire/trial.h"
#include "wire/user.h"

namespace det::api {

// The text of a configuration with a mask in place of each secret; without comments then.
[[nodiscard]] std::string hide_secrets_in(std::string text);

// The accepted configuration with the settings that were changed since, secrets included.
[[nodiscard]] wire::Json shown_config(store::ExperimentRow row);

[[nodiscard]] wire::User to_wire(const store::UserRow& row);
[[nodiscard]] wire::Experiment to_wire(store::ExperimentView view);
[[nodiscard]] wire::Trial to_wire(const store::TrialView& view);
[[nodiscard]] wire::Summaries to_wire(const store::MetricSummaries& summaries);
[[nodiscard]] wire::CheckpointWorkload to_workload(const store::CheckpointRow& row);
// Batch metrics are left out unless wanted: they are long.
[[nodiscard]] wire::WorkloadContainer to_wire(const store::WorkloadRow& row, bool with_batch_metrics);
[[nodiscard]] wire::Checkpoint to_wire(const store::CheckpointView& view);
[[nodiscard]] wire::Allocation to_wire(const store::AllocationRow& row);
// Borrows the line's texts.
[[nodiscard]] wire::LogRecord to_wire(const store::NumberedLine& line);

}  // namespace det::api
