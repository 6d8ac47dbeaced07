// TrialStore's part that is about the work of older harnesses: orders from the leader, results from the trials.

#include "store/channels.h"
#include "store/trials/trial_reader.h"
#include "store/trials/trial_store.h"

namespace det::store {
namespace {

// What the search has settled without a report of the trial's own (a newer harness) counts as completed, too.
const char* const kOrder =
    "UPDATE trials SET work_length = $2, work_is_last = $3, work_settled = $4, work_completed = "
    "greatest(work_completed, "
    "$4) WHERE id = $1 AND (work_length, work_is_last, work_settled) IS DISTINCT FROM ($2, $3, $4)";
const char* const kAsk = "UPDATE trials SET work_is_asked_for = true WHERE id = $1 AND NOT work_is_asked_for";
const char* const kLock =
    "SELECT experiment_id, request_id, work_length, work_completed FROM trials WHERE id = $1 FOR UPDATE";
const char* const kComplete = "UPDATE trials SET work_completed = $2, work_is_asked_for = true WHERE id = $1";
const char* const kAddInput = "INSERT INTO searcher_inbox (experiment_id, event) VALUES ($1, $2)";

std::string operation_text(const std::string& request_id, std::int64_t length) {
  return "{ValidateAfter " + request_id + ", " + std::to_string(length) + "}";
}

}  // namespace

Task<Status> TrialStore::order_work(Epoch epoch, std::vector<WorkOrder> orders) {
  auto body = [epoch, orders = std::move(orders)](pg::Transaction& tx) -> Status {
    if (Status status = check_epoch(tx, epoch); !status) return status;
    for (const WorkOrder& order : orders) {
      const auto changed = run_sql(tx, kOrder, order.trial.value, order.length, order.is_last, order.settled);
      if (changed.affected_rows() > 0) notify(tx, kStateChannel, "t" + to_string(order.trial));
    }
    return {};
  };
  co_return co_await pool_.write("order work", std::move(body));
}

Task<Result<TrialRow>> TrialStore::ask_for_work(model::TrialId id) {
  auto body = [id](pg::Transaction& tx) -> Result<TrialRow> {
    run_sql(tx, kAsk, id.value);
    auto row = find_trial(tx, id);
    if (!row) return not_found("trial", to_string(id));
    return std::move(*row);
  };
  co_return co_await pool_.write("ask for work", std::move(body));
}

Task<Status> TrialStore::complete_work(model::TrialId id, std::int64_t length, nlohmann::json metric) {
  auto body = [id, length, metric = std::move(metric)](pg::Transaction& tx) -> Status {
    const pqxx::result found = run_sql(tx, kLock, id.value);
    if (found.empty()) return not_found("trial", to_string(id));
    const std::int64_t experiment = found[0][0].as<std::int64_t>();
    const std::string request_id = as_text(found[0][1]);
    const auto ordered = as_optional<std::int64_t>(found[0][2]);
    if (ordered && length <= found[0][3].as<std::int64_t>()) return {};  // told again
    if (!ordered) return fail(ErrorCode::kInvalidArgument, "trial " + to_string(id) + " was given no operation");
    if (length != *ordered) {
      return fail(ErrorCode::kInvalidArgument, "expected op " + operation_text(request_id, *ordered) +
                                                   " but received op " + operation_text(request_id, length));
    }
    run_sql(tx, kComplete, id.value, length);
    const nlohmann::json event = {
        {"kind", "operation"}, {"request_id", request_id}, {"length", length}, {"metric", metric}};
    run_sql(tx, kAddInput, experiment, json_text(event));
    notify(tx, kSearcherChannel, std::to_string(experiment));
    return {};
  };
  co_return co_await pool_.write("complete work", std::move(body));
}

}  // namespace det::store
