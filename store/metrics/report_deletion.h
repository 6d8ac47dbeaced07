#pragma once

// Deletes the reports of an experiment some at a time: of millions one statement would take longer than statements may.

#include <cstdint>
#include <optional>
#include <string>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// How far the reports of an experiment are deleted.
struct ReportDeletion {
  bool by_time = false;  // of the reports without steps, which come after all others
  std::int32_t series = 0;
  std::string after;  // within that series: steps or a time, as PostgreSQL writes them; empty: nothing of it is gone
};

// Deletes the next of them, some 100,000, and returns how far they are gone then; nothing when all are.
[[nodiscard]] std::optional<ReportDeletion> delete_reports(pg::Transaction& tx, model::ExperimentId id,
                                                           const ReportDeletion& from);

}  // namespace det::store
