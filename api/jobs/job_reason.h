#pragma once

// Why a job runs or waits, in one sentence. Pure.

#include <string>
#include <vector>

#include "store/experiments/experiment_rows.h"
#include "wire/forms.h"

namespace det::api {

// `trials` are the experiment's Trial objects: their status says what the scheduler found. The sentence ends without a
// full stop when it quotes one of theirs.
[[nodiscard]] std::string job_reason(const store::ExperimentRow& experiment, const std::vector<wire::Json>& trials);

}  // namespace det::api
