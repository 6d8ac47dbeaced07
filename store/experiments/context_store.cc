#include "store/experiments/context_store.h"

#include "base/encoding.h"
#include "pg/large_values.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kPut = "INSERT INTO model_definitions (sha256, body) VALUES ($1, $2) ON CONFLICT (sha256) DO NOTHING";
const char* const kGet = "SELECT body FROM model_definitions WHERE sha256 = $1";
// What does not compress, as archives, is stored as it is: the part alone is read.
const char* const kPart =
    "SELECT octet_length(body), substring(body FROM $2::int + 1 FOR $3::int) FROM model_definitions WHERE sha256 = $1";
// Whoever looks for it is about to refer to it: the sweep (RemovalStore::sweep_model_definitions) leaves it for a day.
const char* const kTouch = "UPDATE model_definitions SET created_at = now() WHERE sha256 = $1 RETURNING 1";

// Archives of this size do not stay in the buffers of a connection.
constexpr std::size_t kLarge = std::size_t{1} << 20;

}  // namespace

Task<Status> ContextStore::put(std::string sha256, std::string bytes) {
  auto body = [sha256, bytes = std::move(bytes)](pg::Transaction& tx) -> Status {
    if (sha256_hex(bytes) != sha256) {
      return fail(ErrorCode::kInvalidArgument, "'" + sha256 + "' is not the SHA-256 of the uploaded context", "sha256");
    }
    if (!run_sql(tx, kTouch, sha256).empty()) return {};
    if (bytes.size() > kLarge) pg::close_connection_afterwards();
    run_sql(tx, kPut, sha256, pqxx::binarystring(bytes));
    return {};
  };
  co_return co_await pool_.write("put context", std::move(body));
}

Task<Result<std::optional<std::string>>> ContextStore::get(std::string sha256) {
  auto body = [sha256](pg::Transaction& tx) -> Result<std::optional<std::string>> {
    const pqxx::result found = run_sql(tx, kGet, sha256);
    if (found.empty()) return std::nullopt;
    if (found[0][0].size() > kLarge) pg::close_connection_afterwards();
    return pqxx::binarystring(found[0][0]).str();
  };
  co_return co_await pool_.read("get context", std::move(body));
}

Task<Result<std::optional<ContextStore::Part>>> ContextStore::part(std::string sha256, std::int64_t offset,
                                                                   std::int64_t most) {
  auto body = [sha256, offset, most](pg::Transaction& tx) -> Result<std::optional<Part>> {
    const pqxx::result found = run_sql(tx, kPart, sha256, offset, most);
    if (found.empty()) return std::nullopt;
    return Part{.bytes = pqxx::binarystring(found[0][1]).str(), .total = found[0][0].as<std::int64_t>()};
  };
  co_return co_await pool_.read("get a part of a context", std::move(body));
}

Task<Result<bool>> ContextStore::exists(std::string sha256) {
  auto body = [sha256](pg::Transaction& tx) -> Result<bool> { return !run_sql(tx, kTouch, sha256).empty(); };
  co_return co_await pool_.write("find context", std::move(body));
}

}  // namespace det::store
