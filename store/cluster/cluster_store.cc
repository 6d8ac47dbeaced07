#include "store/cluster/cluster_store.h"

#include "store/sql.h"

namespace det::store {
namespace {

constexpr const char* kCreate = "INSERT INTO cluster DEFAULT VALUES ON CONFLICT DO NOTHING";
constexpr const char* kLoad = "SELECT cluster_id, incarnation, epoch FROM cluster";
constexpr const char* kRaise = "UPDATE cluster SET epoch = epoch + 1 RETURNING epoch";

}  // namespace

Task<Result<ClusterRow>> ClusterStore::load_or_create() {
  auto body = [](pg::Transaction& tx) -> Result<ClusterRow> {
    tx.exec(kCreate);
    const pqxx::row row = tx.exec1(kLoad);
    return ClusterRow{
        .cluster_id = as_text(row[0]), .incarnation = as_text(row[1]), .epoch = {row[2].as<std::int64_t>()}};
  };
  co_return co_await pool_.write("load cluster", std::move(body));
}

Task<Result<Epoch>> ClusterStore::raise_epoch() {
  auto body = [](pg::Transaction& tx) -> Result<Epoch> {
    tx.exec(kCreate);
    return Epoch{tx.exec1(kRaise)[0].as<std::int64_t>()};
  };
  // Raised twice is as good as once: the last number counts.
  co_return co_await pool_.write("raise epoch", std::move(body));
}

Task<Status> ClusterStore::check(Epoch epoch) {
  // A row lock, so a write.
  auto body = [epoch](pg::Transaction& tx) -> Status { return check_epoch(tx, epoch); };
  co_return co_await pool_.write("check epoch", std::move(body));
}

}  // namespace det::store
