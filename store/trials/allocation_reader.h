#pragma once

// Reading allocations and their pods inside someone's transaction. A detail of the stores that have runs.

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "store/sql.h"
#include "store/trials/allocation_store.h"

namespace det::store {

// What read_allocation takes, of allocations `a`, their tasks `k` and their trials `t`, which may be none.
[[nodiscard]] const char* allocation_columns();
inline constexpr int kAllocationColumns = 17;
// " FROM allocations a JOIN ... ", to be completed with WHERE.
[[nodiscard]] const char* from_allocations();
// `first`: the column where they begin.
[[nodiscard]] AllocationRow read_allocation(const pqxx::row& row, int first = 0);
[[nodiscard]] std::optional<AllocationRow> find_allocation(pqxx::transaction_base& tx, const std::string& id);
// The pods of allocation `a`, by rank, as an expression; read_resources takes its value.
[[nodiscard]] const char* pods_of_allocation();
[[nodiscard]] std::vector<ResourceRow> read_resources(const nlohmann::json& rows);

}  // namespace det::store
