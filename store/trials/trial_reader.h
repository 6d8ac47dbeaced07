#pragma once

// Reading and making trials inside someone's transaction. A detail of trial_store.cc and searcher_event_store.cc.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/sql.h"
#include "store/trials/trial_rows.h"

namespace det::store {

// "SELECT ... FROM trials t JOIN tasks k ...", to be completed with WHERE: what read_trial takes.
[[nodiscard]] std::string select_trials();
[[nodiscard]] TrialRow read_trial(const pqxx::row& row);
// What people are shown. An experiment's pause is in its own row only, not in those of its trials.
[[nodiscard]] model::TrialState shown_state(model::TrialState own, std::string_view experiment);

// What read_trial takes, of trials `t` and their tasks `k`, for statements that select more.
[[nodiscard]] std::string trial_columns();
inline constexpr int kTrialColumns = 29;
[[nodiscard]] std::optional<TrialRow> find_trial(pqxx::transaction_base& tx, model::TrialId id);

// What trial `t` has beside its row, as expressions.
[[nodiscard]] std::string trial_batches();
[[nodiscard]] std::string trial_checkpoint_bytes();
// Who says how long its log is kept, from the highest: trial `t`, its experiment `e`, the configuration, which may hold
// 7.0.
inline constexpr const char* kLogRetentionOfRows =
    "t.log_retention_days, e.log_retention_days, "
    "(e.config #>> '{retention_policy,log_retention_days}')::numeric::int";
[[nodiscard]] std::string trial_log_retention();  // days, as far as the database says

// The row and its task, made or found by request id. One that is found takes the hyperparameters: those of an
// experiment that is continued may be others.
[[nodiscard]] TrialRow insert_trial(pqxx::transaction_base& tx, const NewTrial& trial);

// The statement that reads what read_trial_views takes, of the trials whose ids the statement `ids` selects, in its
// order.
[[nodiscard]] std::string select_trial_views(const std::string& ids);
// Adds validations and checkpoints with a query each, for all rows at once.
[[nodiscard]] std::vector<TrialView> read_trial_views(pqxx::transaction_base& tx, const pqxx::result& rows);

}  // namespace det::store
