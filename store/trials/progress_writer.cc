#include "store/trials/progress_writer.h"

#include <unordered_map>
#include <utility>

#include <boost/asio/detached.hpp>

#include "base/log.h"
#include "store/sql.h"

namespace det::store {
namespace {

constexpr std::chrono::seconds kBetweenTries{1};
// $1: {"id": fraction}. Gives the trials that others are changing just now: whoever holds one row and waits for the
// next makes a queue, and a deadlock with whoever does so in another order. Index trials_pkey.
const char* const kSetProgress =
    "WITH said AS (SELECT key::bigint AS id, value::float8 AS fraction FROM json_each_text($1::json)), "
    "free AS (SELECT t.id FROM trials t JOIN said ON said.id = t.id FOR NO KEY UPDATE OF t SKIP LOCKED), "
    "written AS (UPDATE trials t SET progress = said.fraction FROM said JOIN free ON free.id = said.id "
    "WHERE t.id = said.id RETURNING t.id, t.experiment_id, t.progress), "
    // No search says how far an experiment without one is: its trials do.
    "shown AS (UPDATE experiments e SET progress = free_one.progress FROM (SELECT x.id, w.progress FROM experiments x "
    "JOIN (SELECT experiment_id, max(progress) AS progress FROM written GROUP BY 1) w ON w.experiment_id = x.id "
    "WHERE x.unmanaged AND x.end_time IS NULL FOR NO KEY UPDATE OF x SKIP LOCKED) free_one WHERE e.id = free_one.id) "
    "SELECT t.id FROM trials t JOIN said ON said.id = t.id WHERE t.id NOT IN (SELECT id FROM written)";
// What is lost with the database's machine is said again at the next report.
const char* const kDoNotWait = "SET LOCAL synchronous_commit = off";

using Fractions = std::unordered_map<model::TrialId, double>;

// Those that are still to be written.
Result<Fractions> set_progress(pg::Transaction& tx, const Fractions& fractions) {
  nlohmann::json said = nlohmann::json::object();
  for (const auto& [id, fraction] : fractions) said[to_string(id)] = fraction;
  tx.exec0(kDoNotWait);
  Fractions left;
  for (const auto& row : run_sql(tx, kSetProgress, json_text(said))) {
    const model::TrialId id{row[0].as<std::int64_t>()};
    left.emplace(id, fractions.at(id));
  }
  return left;
}

}  // namespace

struct ProgressWriter::State {
  State(pg::Pool& p, Clock& c) : pool(p), clock(c) {}

  pg::Pool& pool;  // not to be used once stopped
  Clock& clock;
  Logger log{"progress-writer"};
  Fractions latest;
  bool is_writing = false;
  bool is_stopped = false;
};

ProgressWriter::ProgressWriter(asio::any_io_executor executor, pg::Pool& pool, Clock& clock)
    : executor_(std::move(executor)), state_(std::make_shared<State>(pool, clock)) {}

ProgressWriter::~ProgressWriter() {
  state_->is_stopped = true;
}

void ProgressWriter::note(model::TrialId trial, double fraction) {
  state_->latest.insert_or_assign(trial, fraction);
  if (std::exchange(state_->is_writing, true)) return;
  asio::co_spawn(executor_, write_noted(state_), asio::detached);
}

Task<void> ProgressWriter::write_noted(std::shared_ptr<State> state) {
  while (!state->is_stopped && !state->latest.empty()) {
    const Fractions batch = std::exchange(state->latest, {});
    auto body = [batch](pg::Transaction& tx) { return set_progress(tx, batch); };
    auto left = co_await state->pool.write("set progress of trials", std::move(body));
    if (state->is_stopped) break;
    const bool is_away = !left && left.error().code == ErrorCode::kUnavailable;
    if (!left) state->log.warn("progress of trials was not written", {{"error", left.error().message}});
    // What came meanwhile is newer.
    if (is_away) state->latest.insert(batch.begin(), batch.end());
    if (left) state->latest.insert(left->begin(), left->end());
    co_await state->clock.sleep_for(is_away ? std::chrono::milliseconds(kBetweenTries) : kBetweenWrites);
  }
  state->is_writing = false;
}

}  // namespace det::store
