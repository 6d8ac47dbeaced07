#pragma once

// Numbers of checkpoint storages: which run got one, and which checkpoint may name it. A section checkpoint_storage may
// hold keys, and a small number is easily guessed. A detail of CheckpointStore.

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "model/ids.h"
#include "store/sql.h"

namespace det::store {

// The number of this section for runs of this experiment: the same for the same one, and another one for every
// experiment. kInvalidArgument, with the field, for a section of over 64 KiB, and for a new one where an experiment has
// 1,000: a task's token says what it likes.
[[nodiscard]] Result<std::int64_t> give_storage(pqxx::transaction_base& tx, model::ExperimentId experiment,
                                                const nlohmann::json& section);

// kInvalidArgument, with the field, unless the task is a trial whose experiment was given this number. One that was
// given out before numbers were an experiment's is good where it says nothing that the experiment does not say itself,
// or where a checkpoint of the same trial has it already. An unknown task may: it has no checkpoints.
[[nodiscard]] Status check_given_storage(pqxx::transaction_base& tx, const std::string& task_id, std::int64_t storage);

}  // namespace det::store
