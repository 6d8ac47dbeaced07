#include "store/search/custom_search_store.h"

#include "store/channels.h"
#include "store/sql.h"

namespace det::store {
namespace {

// Index custom_search_events_waiting.
const char* const kWaiting =
    "SELECT number, event FROM custom_search_events WHERE experiment_id = $1 AND NOT is_answered ORDER BY number";
const char* const kLock =
    "SELECT is_answered FROM custom_search_events WHERE experiment_id = $1 AND number = $2 FOR UPDATE";
const char* const kAnswer =
    "UPDATE custom_search_events SET is_answered = true WHERE experiment_id = $1 AND NOT is_answered AND (number <= $2 "
    "OR "
    "$3)";
const char* const kAddInput = "INSERT INTO searcher_inbox (experiment_id, event) VALUES ($1, $2)";

}  // namespace

Task<Result<std::vector<RunnerEvent>>> CustomSearchStore::waiting(model::ExperimentId experiment) {
  auto body = [experiment](pg::Transaction& tx) -> Result<std::vector<RunnerEvent>> {
    std::vector<RunnerEvent> events;
    for (const auto& row : run_sql(tx, kWaiting, experiment.value)) {
      events.push_back({.number = row[0].as<std::int64_t>(), .event = as_json(row[1])});
    }
    return events;
  };
  co_return co_await pool_.read("events of a custom search", std::move(body));
}

Task<Status> CustomSearchStore::answer(model::ExperimentId experiment, std::int64_t number, nlohmann::json input,
                                       bool ends) {
  auto body = [=](pg::Transaction& tx) -> Status {
    const pqxx::result locked = run_sql(tx, kLock, experiment.value, number);
    if (locked.empty()) {
      return fail(ErrorCode::kInvalidArgument, "failed to remove events from queue: experiment " +
                                                   to_string(experiment) + " has no event " + std::to_string(number));
    }
    if (locked[0][0].as<bool>()) return {};
    run_sql(tx, kAnswer, experiment.value, number, ends);
    run_sql(tx, kAddInput, experiment.value, json_text(input));
    notify(tx, kSearcherChannel, to_string(experiment));
    return {};
  };
  co_return co_await pool_.write("answer of a custom search", std::move(body));
}

}  // namespace det::store
