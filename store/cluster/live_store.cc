#include "store/cluster/live_store.h"

#include <utility>

#include "store/channels.h"
#include "store/sql.h"

namespace det::store {
namespace {

// What is lost with the database's machine is not looked for: whoever watches looks again after a connection is lost.
const char* const kDoNotWait = "SET LOCAL synchronous_commit = off";

}  // namespace

Task<Status> LiveStore::tell(std::vector<std::string> payloads) {
  auto body = [payloads = std::move(payloads)](pg::Transaction& tx) -> Status {
    tx.exec0(kDoNotWait);
    for (const std::string& payload : payloads) notify(tx, kLiveChannel, payload);
    return {};
  };
  co_return co_await pool_.write("tell of reports", std::move(body));
}

}  // namespace det::store
