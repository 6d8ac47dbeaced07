#include "store/cluster/epoch.h"

#include "store/sql.h"

namespace det::store {
namespace {

constexpr const char* kCurrent = "SELECT epoch FROM cluster FOR SHARE";

}  // namespace

Status check_epoch(pg::Transaction& tx, Epoch epoch) {
  const pqxx::result current = run_sql(tx, kCurrent);
  if (current.empty()) return fail(ErrorCode::kFailedPrecondition, "the database has no cluster yet");
  if (current[0][0].as<std::int64_t>() == epoch.value) return {};
  return fail(ErrorCode::kFailedPrecondition,
              "epoch " + to_string(epoch) + " is over: another leader has epoch " + current[0][0].as<std::string>());
}

}  // namespace det::store
