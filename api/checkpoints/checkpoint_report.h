#pragma once

// What harnesses say about checkpoints, read from JSON. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "store/checkpoints/checkpoint_store.h"
#include "wire/forms.h"

namespace det::api {

// kInvalidArgument names the field; metadata.steps_completed must be there. Without reportTime it is `now`.
[[nodiscard]] Result<store::CheckpointRow> read_checkpoint_report(const wire::Json& body, WallTime now);

// Of two entries for one checkpoint the later counts.
[[nodiscard]] Result<store::CheckpointPatches> read_checkpoint_patches(const wire::Json& body);

}  // namespace det::api
