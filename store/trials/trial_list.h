#pragma once

// One page of an experiment's trials: first which they are, from what their order needs and nothing else, then what is
// shown of them. So a page takes the same time however many trials there are. A detail of TrialStore.

#include <cstdint>

#include "base/result.h"
#include "pg/pool.h"
#include "store/page.h"
#include "store/trials/trial_rows.h"

namespace det::store {

// kInvalidArgument "offset out of bounds" when the page starts after the end.
[[nodiscard]] Result<Paged<TrialView>> list_trials(pg::Transaction& tx, const TrialQuery& query);
[[nodiscard]] Result<Paged<std::int64_t>> list_trial_ids(pg::Transaction& tx, const TrialQuery& query);

}  // namespace det::store
