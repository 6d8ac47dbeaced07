#include "tests/simulation/database.h"

#include <memory>

#include "base/check.h"
#include "base/log.h"
#include "store/channels.h"
#include "tests/support/postgres.h"

namespace det::simulation {
namespace {

// Found before pg_catalog's by search_path; defaults are bound to a function when they are made, so they are made anew.
constexpr const char* kVirtualTime = R"(
CREATE SCHEMA virtual;
CREATE TABLE virtual.clock (at timestamptz NOT NULL);
INSERT INTO virtual.clock VALUES ('2026-11-21 02:00Z');
CREATE FUNCTION virtual.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM virtual.clock';
DO $$
DECLARE c record;
BEGIN
  EXECUTE format('ALTER DATABASE %I SET search_path = virtual, pg_catalog, public', current_database());
  EXECUTE format('ALTER DATABASE %I SET plan_cache_mode = force_generic_plan', current_database());
  FOR c IN SELECT table_name, column_name FROM information_schema.columns
           WHERE table_schema = 'public' AND column_default = 'now()' LOOP
    EXECUTE format('ALTER TABLE public.%I ALTER %I SET DEFAULT virtual.now()', c.table_name, c.column_name);
  END LOOP;
END $$;
)";

// Tables that the migrations leave empty, and the row that the first process makes.
constexpr const char* kTables = R"(
SELECT string_agg(format('DELETE FROM %I;', relname), ' ')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  AND (relname = 'cluster' OR (xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I', relname),
                                                                   false, true, '')))[1]::text = '0')
)";

constexpr const char* kSequences = R"(
SELECT string_agg(format('SELECT setval(%L, %s, %L);', format('%I.%I', schemaname, sequencename),
                         coalesce(last_value, 1), last_value IS NOT NULL), ' ')
FROM pg_sequences WHERE schemaname = 'public'
)";

}  // namespace

Database::Database() : url_(test::shared_postgres().create_database(test::store_template())) {
  auto made = pg::RawConnection::open(url_, "simulation");
  DET_CHECK(made.has_value() && made->execute(kVirtualTime).has_value(), "the database takes virtual time");
  auto opened = pg::RawConnection::open(url_, "simulation");
  DET_CHECK(opened.has_value(), "the database answers");
  connection_.emplace(std::move(*opened));
  ask("SET TimeZone = 'UTC'");
  ask("SET synchronous_commit = off");
  cleaning_ = "BEGIN; SET LOCAL session_replication_role = replica; " + value(kTables) + value(kSequences) +
              " UPDATE log_retention SET last_pass = NULL; COMMIT;";
  for (const char* channel : {store::kSearcherChannel, store::kRemovalChannel, store::kTaskChannel}) {
    ask(std::string("LISTEN ") + channel);
  }
}

void Database::reset() {
  execute(cleaning_);
  notifications();
}

void Database::set_time(WallTime now) {
  if (now == told_) return;
  told_ = now;
  ask("UPDATE virtual.clock SET at = '" + format_rfc3339_micros(now) + "'");
}

std::vector<std::string> Database::column(const std::string& sql) {
  const auto [known, is_new] = known_.try_emplace(sql);
  std::vector<std::string>& values = known->second;
  if (!is_new) return values;
  const auto result = ask(sql);
  for (int row = 0; row < pg::row_count(result); ++row) values.push_back(pg::field(result, row, 0));
  return values;
}

void Database::execute(const std::string& sql) {
  ask(sql);
  changed();
}

std::string Database::value(const std::string& sql) {
  const auto values = column(sql);
  return values.empty() ? std::string() : values.front();
}

std::vector<Database::Notification> Database::notifications() {
  ask("SELECT 1");  // with its answer comes what was sent before it
  std::vector<Notification> all;
  while (PGnotify* const notify = PQnotifies(connection_->handle())) {
    all.push_back({.channel = notify->relname, .payload = notify->extra});
    PQfreemem(notify);
  }
  return all;
}

pg::ResultHandle Database::ask(const std::string& sql) {
  pg::ResultHandle result(PQexec(connection_->handle(), sql.c_str()));
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    log_fatal("the simulation's own statement failed", {{"sql", sql}, {"error", PQresultErrorMessage(result.get())}});
  }
  return result;
}

}  // namespace det::simulation
