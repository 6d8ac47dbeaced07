#include "pg/migrate.h"

#include <pqxx/pqxx>

#include "base/log.h"
#include "pg/connection_info.h"
#include "pg/errors.h"

namespace det::pg {
namespace {

// Any number that nobody else uses: "det" and a 1.
constexpr const char* kLock = "SELECT pg_advisory_lock(1684370481)";
// A role or a database may have limits for the short statements of programs, which would end an index over a large
// table each time, and the wait for another replica that makes it. Before release 17 there is no transaction_timeout.
constexpr const char* kNoLimits =
    "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; "
    "SELECT set_config('transaction_timeout', '0', false) WHERE current_setting('transaction_timeout', true) IS NOT "
    "NULL";
// Who waits for a table makes all wait who come after: the replicas of the release before, which go on meanwhile.
constexpr const char* kPatience = "SET lock_timeout = '1s'";
constexpr const char* kOldest =
    "SELECT coalesce(string_agg(format('%s (process %s, begun %s s ago)', coalesce(nullif(application_name, ''), "
    "usename), pid, extract(epoch FROM now() - xact_start)::int), ', '), 'none') FROM (SELECT * FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL ORDER BY xact_start "
    "LIMIT 3) a";
constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS schema_steps (number integer PRIMARY KEY, name text NOT NULL, "
    "applied_at timestamptz NOT NULL DEFAULT now())";
constexpr const char* kApplied = "SELECT number, name FROM schema_steps ORDER BY number";
constexpr const char* kLockNotAvailable = "55P03";
constexpr const char* kRecord = "INSERT INTO schema_steps (number, name) VALUES ($1, $2)";

// The steps of the database must be a beginning of the program's.
Result<std::size_t> count_applied(pqxx::connection& connection, const std::vector<Migration>& migrations) {
  pqxx::work tx(connection);
  tx.exec(kTable);
  const pqxx::result applied = tx.exec(kApplied);
  tx.commit();
  if (applied.size() > migrations.size()) {
    return fail(ErrorCode::kFailedPrecondition,
                "the database is at schema step " + std::to_string(applied.size()) + " but this program only knows " +
                    std::to_string(migrations.size()) + ": use a release at least as new as the one that wrote it");
  }
  std::size_t count = 0;
  for (const auto& row : applied) {
    const auto& expected = migrations[count++];
    if (row[0].as<int>() == expected.number && row[1].as<std::string>() == expected.name) continue;
    return fail(ErrorCode::kFailedPrecondition, "schema step " + row[0].as<std::string>() + " of the database is '" +
                                                    row[1].as<std::string>() + "', this program has '" + expected.name +
                                                    "': it is the database of another program");
  }
  return count;
}

// For people who look for the one that holds it.
std::string oldest(pqxx::connection& connection) {
  pqxx::nontransaction tx(connection);
  return tx.exec1(kOldest)[0].as<std::string>();
}

Result<int> apply_missing(pqxx::connection& connection, const std::vector<Migration>& migrations) {
  const auto applied = count_applied(connection, migrations);
  DET_TRY(applied);
  int done = 0;
  for (std::size_t i = *applied; i < migrations.size(); ++i, ++done) {
    const Migration& step = migrations[i];
    try {
      pqxx::work tx(connection);
      tx.exec(step.sql);
      tx.exec_params(kRecord, step.number, step.name);
      tx.commit();
    } catch (const pqxx::sql_error& refused) {
      Error error = error_of(refused.sqlstate(), refused.what());
      if (refused.sqlstate() == kLockNotAvailable) error.message += "; oldest transactions: " + oldest(connection);
      return std::unexpected(with_context(std::move(error), "schema step " + step.name));
    }
    Logger("pg.migrate").info("schema step applied", {{"step", step.name}});
  }
  return done;
}

}  // namespace

Result<int> migrate(const std::string& url, const std::vector<Migration>& migrations, const std::string& schema) {
  const auto info = connection_info(url, "det-operator migrate", std::chrono::seconds(5));
  DET_TRY(info);
  try {
    pqxx::connection connection(*info);
    const pqxx::quiet_errorhandler quiet(connection);
    pqxx::nontransaction(connection).exec(kNoLimits);
    pqxx::nontransaction(connection).exec(kLock);  // released with the connection
    pqxx::nontransaction(connection).exec(kPatience);
    if (!schema.empty()) {
      pqxx::nontransaction(connection).exec("CREATE SCHEMA IF NOT EXISTS " + schema + "; SET search_path TO " + schema);
    }
    return apply_missing(connection, migrations);
  } catch (const pqxx::sql_error& refused) {
    return std::unexpected(with_context(error_of(refused.sqlstate(), refused.what()), "migrate"));
  } catch (const std::exception& lost) {
    return std::unexpected(with_context(error_of({}, lost.what()), "migrate"));
  }
}

}  // namespace det::pg
