#pragma once

// A checkpoint as its reader may see it. Pure.

#include "api/call.h"
#include "store/checkpoints/checkpoint_store.h"

namespace det::api {

// Downloads of one's own checkpoints take the credentials from here; those of others take the reader's own.
[[nodiscard]] wire::Json checkpoint_json(const store::CheckpointView& view, const store::UserRow& reader);

}  // namespace det::api
