#include "store/cluster/cluster_message_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

const char* const kFind =
    "SELECT message, start_at, end_at, created_at FROM cluster_message WHERE end_at IS NULL OR end_at > now()";
const char* const kSet =
    "INSERT INTO cluster_message (message, author_id, start_at, end_at) VALUES ($1, $2, $3, $4) ON CONFLICT (one) DO "
    "UPDATE SET message = excluded.message, author_id = excluded.author_id, start_at = excluded.start_at, end_at = "
    "excluded.end_at, created_at = now()";
const char* const kClear = "DELETE FROM cluster_message";

}  // namespace

Task<Result<std::optional<ClusterMessage>>> ClusterMessageStore::find() {
  auto body = [](pg::Transaction& tx) -> Result<std::optional<ClusterMessage>> {
    const pqxx::result found = run_sql(tx, kFind);
    if (found.empty()) return std::nullopt;
    return ClusterMessage{.text = as_text(found[0][0]),
                          .start = as_time(found[0][1]),
                          .end = as_optional_time(found[0][2]),
                          .created_at = as_time(found[0][3])};
  };
  co_return co_await pool_.read("find the cluster's message", std::move(body));
}

Task<Status> ClusterMessageStore::set(ClusterMessage message, model::UserId author) {
  auto body = [m = std::move(message), author](pg::Transaction& tx) -> Status {
    std::optional<std::string> end;
    if (m.end) end = format_rfc3339_micros(*m.end);
    run_sql(tx, kSet, m.text, author.value, format_rfc3339_micros(m.start), end);
    return {};
  };
  co_return co_await pool_.write("set the cluster's message", std::move(body));
}

Task<Status> ClusterMessageStore::clear() {
  auto body = [](pg::Transaction& tx) -> Status {
    tx.exec(kClear);
    return {};
  };
  co_return co_await pool_.write("clear the cluster's message", std::move(body));
}

}  // namespace det::store
