#include "store/logs/log_deletion.h"

namespace det::store {
namespace {

constexpr std::int64_t kMostChunks = 500;

// Index task_log_chunks_pkey.
const char* const kDelete =
    "DELETE FROM task_log_chunks c USING (SELECT task_number, first_id FROM task_log_chunks WHERE task_number = "
    "ANY($1::bigint[]) LIMIT $2) d WHERE c.task_number = d.task_number AND c.first_id = d.first_id";

}  // namespace

bool delete_some_logs(pqxx::transaction_base& tx, const std::vector<std::int64_t>& tasks) {
  const auto deleted = run_sql(tx, kDelete, int_array(tasks), kMostChunks).affected_rows();
  return static_cast<std::int64_t>(deleted) == kMostChunks;
}

}  // namespace det::store
