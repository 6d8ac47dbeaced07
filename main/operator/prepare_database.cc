#include "main/operator/prepare_database.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "main/operator/first_users.h"
#include "pg/migrate.h"
#include "store/schema.h"

namespace det::main {
namespace {

constexpr std::chrono::milliseconds kFirstRetry{200};
constexpr std::chrono::seconds kMaxRetry{5};

Task<Status> migrate_schema(std::string url) {
  asio::thread_pool migrating(1);
  auto work = [url = std::move(url)]() -> Status {
    auto steps = pg::migrate(url, store::schema_migrations());
    DET_TRY(steps);
    return {};
  };
  auto done = co_await run_on(migrating, std::move(work));
  migrating.join();
  co_return done;
}

}  // namespace

Task<store::ClusterRow> wait_for_database(Clock& clock, Stores& stores, asio::thread_pool& workers,
                                          const ServeOptions& options) {
  const Logger log("control-plane");
  std::chrono::nanoseconds delay = kFirstRetry;
  for (;;) {
    Status prepared = co_await migrate_schema(options.database_url);
    if (prepared) prepared = co_await prepare_first_users(stores, workers, options.master);
    if (prepared && options.prepare_users) prepared = co_await options.prepare_users(stores.users, stores.sessions);
    if (prepared) {
      auto row = co_await stores.cluster.load_or_create();
      if (row) co_return std::move(*row);
      prepared = std::unexpected(std::move(row).error());
    }
    log.warn("the database cannot be used yet", {{"error", prepared.error().message}});
    co_await clock.sleep_for(delay);
    delay = std::min<std::chrono::nanoseconds>(delay * 2, kMaxRetry);
  }
}

}  // namespace det::main
