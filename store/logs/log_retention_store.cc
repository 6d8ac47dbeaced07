#include "store/logs/log_retention_store.h"

#include <string>
#include <vector>

#include "store/logs/log_chunk.h"
#include "store/sql.h"
#include "store/trials/trial_reader.h"

namespace det::store {
namespace {

// Of one transaction: tasks looked at, logs removed, and chunks of them.
constexpr std::int64_t kSlice = 2000;
constexpr std::int64_t kMostTasks = 100;
constexpr std::int64_t kMostChunks = 500;

// $1: the default.
const std::string kDays = std::string("coalesce(") + kLogRetentionOfRows + ", $1::int)";
const std::string kTasks =
    "tasks k CROSS JOIN log_retention r LEFT JOIN trials t ON t.task_number = k.number "
    "LEFT JOIN experiments e ON e.id = t.experiment_id ";

// Index tasks_log_removable.
const char* const kNextSlice =
    "SELECT max(s.number), count(*) FROM (SELECT number FROM tasks WHERE end_time IS NOT NULL AND log_removed_at IS "
    "NULL AND number > $1 ORDER BY number LIMIT $2) s";
// Locked, so that no trial is revived and no line is written meanwhile. Who holds such a row writes to it: not now,
// then. Days are 24 hours whatever the time zone.
const std::string kDue =
    "SELECT k.number, " + kDays + " FROM " + kTasks +
    "WHERE k.end_time IS NOT NULL AND k.log_removed_at IS NULL AND k.number > $3 AND k.number <= $4 "
    "AND k.start_time >= r.held_before AND " +
    kDays + " >= 0 AND k.end_time <= $2::timestamptz - make_interval(hours => 24 * " + kDays +
    ") ORDER BY k.number LIMIT $5 FOR NO KEY UPDATE OF k SKIP LOCKED";
const std::string kDaysLeft =
    "SELECT CASE WHEN d.days < 0 OR k.start_time < r.held_before THEN -1 WHEN k.end_time IS NULL THEN NULL ELSE "
    "greatest(0, floor(extract(epoch FROM "
    "k.end_time + make_interval(hours => 24 * d.days) - $2::timestamptz) / 86400))::int END FROM " +
    kTasks + "CROSS JOIN LATERAL (SELECT " + kDays + " AS days) d WHERE t.id = $3";
// Index task_log_chunks_pkey.
const char* const kRemove =
    "WITH gone AS (DELETE FROM task_log_chunks c USING (SELECT first_id FROM task_log_chunks WHERE task_number = $1 "
    "ORDER BY first_id LIMIT $2) d WHERE c.task_number = $1 AND c.first_id = d.first_id "
    "RETURNING c.n, octet_length(c.body) AS bytes) "
    "SELECT count(*), coalesce(sum(n), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM gone";
const char* const kAnyLeft = "SELECT EXISTS (SELECT 1 FROM task_log_chunks WHERE task_number = $1)";
const char* const kMark =
    "UPDATE tasks SET log_removed_at = $2::timestamptz, log_lines = log_lines + $3 WHERE number = $1 "
    "RETURNING log_lines";
const char* const kSay =
    "INSERT INTO task_log_chunks (task_number, first_id, n, t0, t1, mask, post, body) "
    "VALUES ($1, $2, 1, $3::timestamptz, $3::timestamptz, $4, 0, $5)";

const std::string kHeld =
    "SELECT count(*), coalesce(sum(c.bytes), 0)::bigint FROM " + kTasks +
    "CROSS JOIN LATERAL (SELECT sum(octet_length(body)) AS bytes FROM task_log_chunks WHERE task_number = k.number) c "
    "WHERE k.start_time < r.held_before AND k.log_removed_at IS NULL AND c.bytes IS NOT NULL AND " +
    kDays + " >= 0";
const char* const kRelease = "UPDATE log_retention SET held_before = '-infinity'";
const char* const kLastPass = "SELECT last_pass FROM log_retention";
const char* const kNotePass = "UPDATE log_retention SET last_pass = $1::timestamptz";
const char* const kSetExperiment = "UPDATE experiments SET log_retention_days = $2 WHERE id = $1";
const char* const kForgetTrials =
    "UPDATE trials SET log_retention_days = NULL WHERE experiment_id = $1 AND log_retention_days IS NOT NULL";
const char* const kSetTrial = "UPDATE trials SET log_retention_days = $2 WHERE id = $1";

LogLine notice(int days, WallTime now) {
  LogLine line;
  line.time = now;
  line.level = LineLevel::kInfo;
  line.source = "master";
  line.text = "The log of this task was removed: it had been kept for " + std::to_string(days) +
              (days == 1 ? " day" : " days") + " after the task ended, as log_retention_days says.\n";
  return line;
}

void finish(pg::Transaction& tx, std::int32_t task, int days, bool had_lines, WallTime now) {
  const std::string at = format_rfc3339_micros(now);
  const int said = had_lines ? 1 : 0;
  const auto place = run_sql1(tx, kMark, task, at, said)[0].as<std::int64_t>();
  if (!had_lines) return;
  const std::vector<LogLine> lines{notice(days, now)};
  const std::string body = encode_chunk(lines);
  run_sql(tx, kSay, task, place, at, level_mask(lines), pqxx::binarystring(body));
}

// Takes up to `chunks` chunks from the log; true when it is gone.
bool remove_log(pg::Transaction& tx, std::int32_t task, int days, WallTime now, std::int64_t& chunks,
                RemovedLogs& removed) {
  const pqxx::row gone = run_sql1(tx, kRemove, task, chunks);
  const auto count = gone[0].as<std::int64_t>();
  removed.lines += gone[1].as<std::int64_t>();
  removed.bytes += gone[2].as<std::int64_t>();
  const bool may_be_more = count == chunks;
  chunks -= count;
  if (may_be_more && run_sql1(tx, kAnyLeft, task)[0].as<bool>()) return false;
  finish(tx, task, days, count > 0, now);
  if (count > 0) ++removed.tasks;
  return true;
}

HeldLogs read_held(pg::Transaction& tx, int default_days) {
  const pqxx::row row = run_sql1(tx, kHeld, default_days);
  return {.tasks = row[0].as<std::int64_t>(), .bytes = row[1].as<std::int64_t>()};
}

}  // namespace

Task<Result<LogRetentionStore::Step>> LogRetentionStore::step(int default_days, WallTime now, std::int32_t after) {
  auto body = [default_days, now, after](pg::Transaction& tx) -> Result<Step> {
    Step step;
    const pqxx::row slice = run_sql1(tx, kNextSlice, after, kSlice);
    if (slice[0].is_null()) return step;
    const auto last = slice[0].as<std::int32_t>();
    if (slice[1].as<std::int64_t>() == kSlice) step.next = last;
    const pqxx::result due = run_sql(tx, kDue, default_days, format_rfc3339_micros(now), after, last, kMostTasks);
    std::int64_t chunks = kMostChunks;
    for (const auto& row : due) {
      const auto task = row[0].as<std::int32_t>();
      if (chunks == 0 || !remove_log(tx, task, row[1].as<int>(), now, chunks, step.removed)) {
        step.next = task - 1;
        return step;
      }
    }
    if (static_cast<std::int64_t>(due.size()) == kMostTasks) step.next = due.back()[0].as<std::int32_t>();
    return step;
  };
  co_return co_await pool_.write("remove logs", std::move(body));
}

Task<Result<RemovedLogs>> LogRetentionStore::remove_expired(int default_days, Clock& clock,
                                                            std::chrono::nanoseconds limit) {
  const SteadyTime until = clock.steady_now() + limit;
  const WallTime now = clock.wall_now();
  RemovedLogs all;
  for (std::optional<std::int32_t> after = -1; after;) {
    if (clock.steady_now() > until) co_return all;
    auto done = co_await step(default_days, now, *after);
    DET_CO_TRY(done);
    all.tasks += done->removed.tasks;
    all.lines += done->removed.lines;
    all.bytes += done->removed.bytes;
    after = done->next;
  }
  all.is_complete = true;
  co_return all;
}

Task<Result<std::optional<int>>> LogRetentionStore::days_left(model::TrialId trial, int default_days, WallTime now) {
  auto body = [trial, default_days,
               at = format_rfc3339_micros(now)](pg::Transaction& tx) -> Result<std::optional<int>> {
    const pqxx::result found = run_sql(tx, kDaysLeft, default_days, at, trial.value);
    if (found.empty()) return fail(ErrorCode::kNotFound, "trial '" + to_string(trial) + "' not found");
    return as_optional<int>(found[0][0]);
  };
  co_return co_await pool_.read("read how long a log is kept", std::move(body));
}

Task<Result<HeldLogs>> LogRetentionStore::held(int default_days) {
  auto body = [default_days](pg::Transaction& tx) -> Result<HeldLogs> { return read_held(tx, default_days); };
  co_return co_await pool_.read("count held logs", std::move(body));
}

Task<Result<HeldLogs>> LogRetentionStore::release_held(int default_days) {
  auto body = [default_days](pg::Transaction& tx) -> Result<HeldLogs> {
    const HeldLogs held = read_held(tx, default_days);
    run_sql(tx, kRelease);
    return held;
  };
  co_return co_await pool_.write("release held logs", std::move(body));
}

Task<Result<std::optional<WallTime>>> LogRetentionStore::last_pass() {
  auto body = [](pg::Transaction& tx) -> Result<std::optional<WallTime>> {
    return as_optional_time(run_sql1(tx, kLastPass)[0]);
  };
  co_return co_await pool_.read("read the last removal of logs", std::move(body));
}

Task<Status> LogRetentionStore::note_pass(WallTime began) {
  auto body = [at = format_rfc3339_micros(began)](pg::Transaction& tx) -> Status {
    run_sql(tx, kNotePass, at);
    return {};
  };
  co_return co_await pool_.write("note a removal of logs", std::move(body));
}

Task<Status> LogRetentionStore::set_days(model::ExperimentId experiment, int days) {
  auto body = [experiment, days](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kSetExperiment, experiment.value, days).affected_rows() == 0) {
      return not_found("experiment", to_string(experiment));
    }
    run_sql(tx, kForgetTrials, experiment.value);
    return {};
  };
  co_return co_await pool_.write("set log retention", std::move(body));
}

Task<Status> LogRetentionStore::set_days(model::TrialId trial, int days) {
  auto body = [trial, days](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kSetTrial, trial.value, days).affected_rows() == 0) return not_found("trial", to_string(trial));
    return {};
  };
  co_return co_await pool_.write("set log retention", std::move(body));
}

}  // namespace det::store
