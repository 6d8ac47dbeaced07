#pragma once

// Checkpoints with what they were trained with. Of a page first which they are, from what their order needs and nothing
// else, then what is shown of them. A detail of CheckpointStore.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "pg/pool.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/page.h"

namespace det::store {

[[nodiscard]] Result<std::optional<CheckpointView>> find_checkpoint_view(pg::Transaction& tx, const std::string& uuid);
// By uuid; unknown ones have none. searcher_metric is the metric of that name, if there is a name.
[[nodiscard]] std::map<std::string, CheckpointView> checkpoint_views(pg::Transaction& tx,
                                                                     const std::vector<std::string>& uuids,
                                                                     const std::string& metric = {});
// kInvalidArgument "offset out of bounds" when the page starts after the end.
[[nodiscard]] Result<Paged<CheckpointView>> list_checkpoints(pg::Transaction& tx, const CheckpointQuery& query);
[[nodiscard]] Result<Paged<std::string>> list_checkpoint_uuids(pg::Transaction& tx, const CheckpointQuery& query);

}  // namespace det::store
