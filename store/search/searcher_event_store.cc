#include "store/search/searcher_event_store.h"

#include "store/channels.h"
#include "store/trials/trial_reader.h"

namespace det::store {
namespace {

// Row by row, so that no row is looked at beyond the one with which $4 bytes are reached. Index searcher_events_pkey.
const char* const kEvents =
    "WITH RECURSIVE page (seq, place, bytes) AS ("
    "  SELECT $2::bigint, 0, 0::bigint"
    "  UNION ALL"
    "  SELECT next.seq, page.place + 1, page.bytes + next.bytes"
    "  FROM page CROSS JOIN LATERAL ("
    "    SELECT seq, octet_length(event::text) + octet_length(decisions::text) AS bytes"
    "    FROM searcher_events WHERE experiment_id = $1 AND seq > page.seq ORDER BY seq LIMIT 1) AS next"
    "  WHERE page.place < $3 AND page.bytes < $4) "
    "SELECT seq, at, epoch, event, decisions FROM searcher_events "
    "WHERE experiment_id = $1 AND seq > $2 AND seq <= (SELECT max(seq) FROM page) ORDER BY seq";
// Index searcher_inbox_experiment.
constexpr int kInputPage = 1'000;  // rows
const char* const kPending =
    "SELECT id, at, event FROM ("
    "  SELECT id, at, event, sum(octet_length(event::text)) OVER (ORDER BY at, id) - octet_length(event::text) AS "
    "before"
    "  FROM (SELECT id, at, event FROM searcher_inbox WHERE experiment_id = $1 ORDER BY at, id LIMIT $2) AS first"
    ") AS waiting WHERE before < $3 ORDER BY at, id";

const char* const kConsume = "DELETE FROM searcher_inbox WHERE experiment_id = $1 AND id = ANY($2::bigint[])";
const char* const kAppend =
    "INSERT INTO searcher_events (experiment_id, seq, epoch, event, decisions) "
    "SELECT $1, $2 + e.place - 1, $3, e.event::json, e.decisions::json "
    "FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS e (event, decisions, place)";
const char* const kClose =
    "UPDATE trials SET is_closed = true WHERE experiment_id = $1 AND request_id = ANY($2::uuid[])";
const char* const kTell = "INSERT INTO custom_search_events (experiment_id, number, event) VALUES ($1, $2, $3)";
const char* const kLast = "SELECT coalesce(max(seq), 0) FROM searcher_events WHERE experiment_id = $1";
const char* const kExists = "SELECT 1 FROM experiments WHERE id = $1 FOR KEY SHARE";
const char* const kAddKey =
    "INSERT INTO searcher_news_keys (experiment_id, key) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const char* const kAddNews = "INSERT INTO searcher_inbox (experiment_id, event) VALUES ($1, $2)";

std::int64_t size_of(const pqxx::field& field) {
  return static_cast<std::int64_t>(field.size());
}

Status must_exist(pg::Transaction& tx, model::ExperimentId experiment) {
  if (run_sql(tx, kExists, experiment.value).empty()) return not_found("experiment", to_string(experiment));
  return {};
}

Status append_entries(pg::Transaction& tx, Epoch epoch, const SearcherStep& step) {
  const std::int64_t last = run_sql1(tx, kLast, step.experiment.value)[0].as<std::int64_t>();
  if (step.first_seq != last + 1) {
    return fail(ErrorCode::kAborted, "the searcher of experiment " + to_string(step.experiment) + " is at event " +
                                         std::to_string(last) + ", the step begins at " +
                                         std::to_string(step.first_seq));
  }
  std::vector<std::int64_t> consumed;
  std::vector<std::string> events;
  std::vector<std::string> decisions;
  for (const SearcherStep::Entry& entry : step.entries) {
    if (entry.inbox_id) consumed.push_back(*entry.inbox_id);
    events.push_back(json_text(entry.event));
    decisions.push_back(json_text(entry.decisions));
  }
  if (!consumed.empty()) {
    const auto found = run_sql(tx, kConsume, step.experiment.value, int_array(consumed)).affected_rows();
    if (found != consumed.size()) {
      return fail(ErrorCode::kAborted, std::to_string(consumed.size() - found) + " of the input of experiment " +
                                           to_string(step.experiment) + " were consumed by another step");
    }
  }
  run_sql(tx, kAppend, step.experiment.value, step.first_seq, epoch.value, text_array(events), text_array(decisions));
  return {};
}

}  // namespace

Task<Result<SearcherEventPage>> SearcherEventStore::events(model::ExperimentId experiment, std::int64_t after,
                                                           int limit, std::int64_t bytes) {
  auto body = [=](pg::Transaction& tx) -> Result<SearcherEventPage> {
    SearcherEventPage page;
    std::int64_t read = 0;
    for (const auto& row : run_sql(tx, kEvents, experiment.value, after, limit, bytes)) {
      read += size_of(row[3]) + size_of(row[4]);
      page.events.push_back({.seq = row[0].as<std::int64_t>(),
                             .time = as_time(row[1]),
                             .epoch = {row[2].as<std::int64_t>()},
                             .event = as_json(row[3]),
                             .decisions = as_json(row[4])});
    }
    page.is_all = std::ssize(page.events) < limit && read < bytes;
    return page;
  };
  co_return co_await pool_.read("load searcher events", std::move(body));
}

Task<Result<PendingInputPage>> SearcherEventStore::pending(model::ExperimentId experiment, std::int64_t bytes) {
  auto body = [experiment, bytes](pg::Transaction& tx) -> Result<PendingInputPage> {
    PendingInputPage page;
    std::int64_t read = 0;
    for (const auto& row : run_sql(tx, kPending, experiment.value, kInputPage, bytes)) {
      read += size_of(row[2]);
      page.input.push_back({.inbox_id = row[0].as<std::int64_t>(), .time = as_time(row[1]), .event = as_json(row[2])});
    }
    page.is_all = std::ssize(page.input) < kInputPage && read < bytes;
    return page;
  };
  co_return co_await pool_.read("searcher input", std::move(body));
}

Task<Result<std::vector<TrialRow>>> SearcherEventStore::append(Epoch epoch, SearcherStep step) {
  auto body = [epoch, step = std::move(step)](pg::Transaction& tx) -> Result<std::vector<TrialRow>> {
    DET_TRY(check_epoch(tx, epoch));
    DET_TRY(must_exist(tx, step.experiment));
    DET_TRY(append_entries(tx, epoch, step));
    std::vector<TrialRow> created;
    for (const NewTrial& trial : step.creates) created.push_back(insert_trial(tx, trial));
    if (!step.closes.empty()) run_sql(tx, kClose, step.experiment.value, text_array(step.closes));
    for (const RunnerEvent& tell : step.tells) {
      run_sql(tx, kTell, step.experiment.value, tell.number, json_text(tell.event));
    }
    if (!step.tells.empty()) notify(tx, kRunnerChannel, to_string(step.experiment));
    return created;
  };
  // A commit in doubt is not repeated: the caller loads the log again and sees.
  auto result = co_await pool_.write_once("searcher step", std::move(body));
  if (!result && result.error().code == ErrorCode::kAlreadyExists) result.error().code = ErrorCode::kAborted;
  co_return result;
}

Task<Status> SearcherEventStore::add_input(model::ExperimentId experiment, std::string key, nlohmann::json event) {
  auto body = [=](pg::Transaction& tx) -> Status {
    if (Status status = must_exist(tx, experiment); !status) return status;
    if (run_sql(tx, kAddKey, experiment.value, key).affected_rows() == 0) return {};
    run_sql(tx, kAddNews, experiment.value, json_text(event));
    notify(tx, kSearcherChannel, to_string(experiment));
    return {};
  };
  co_return co_await pool_.write("add searcher input", std::move(body));
}

}  // namespace det::store
