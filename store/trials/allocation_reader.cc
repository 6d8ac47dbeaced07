#include "store/trials/allocation_reader.h"

#include <nlohmann/json.hpp>

namespace det::store {
namespace {

// A kind that a later version wrote is nobody's fault.
model::RunExit read_verdict(const nlohmann::json& json) {
  const auto kind = model::parse_exit_class(json.value("kind", ""));
  model::RunExit exit{.kind = kind.value_or(model::ExitClass::kInfrastructure),
                      .code = std::nullopt,
                      .reason = json.value("reason", ""),
                      .message = json.value("message", ""),
                      .never_ran = json.value("never_ran", false)};
  if (json.contains("code")) exit.code = json["code"].get<int>();
  return exit;
}

}  // namespace

const char* allocation_columns() {
  return "a.id, k.id, a.trial_id, t.experiment_id, a.run, a.state, a.slots, a.owner_id, a.created_at, a.ready_at, "
         "a.ended_at, "
         "a.exit_reason, a.exit_code, a.preempt_requested_at, a.preempt_acked_at, a.plan, a.verdict";
}

const char* from_allocations() {
  return " FROM allocations a JOIN tasks k ON k.number = a.task_number LEFT JOIN trials t ON t.id = a.trial_id ";
}

// Index allocation_resources_pkey.
const char* pods_of_allocation() {
  return "(SELECT json_agg(r ORDER BY r.rank) FROM allocation_resources r WHERE r.allocation_id = a.id)";
}

AllocationRow read_allocation(const pqxx::row& row, int first) {
  const auto at = [&row, first](int column) { return row[first + column]; };
  return {.id = as_text(at(0)),
          .task_id = as_text(at(1)),
          .trial = as_optional_id<model::TrialId>(at(2)),
          .experiment = as_optional_id<model::ExperimentId>(at(3)),
          .run = at(4).as<int>(),
          .state = as_state(at(5), model::parse_allocation_state),
          .slots = at(6).as<int>(),
          .owner = {at(7).as<std::int64_t>()},
          .created_at = as_time(at(8)),
          .ready_at = as_optional_time(at(9)),
          .ended_at = as_optional_time(at(10)),
          .exit_reason = as_text(at(11)),
          .exit_code = as_optional<int>(at(12)),
          .preempt_requested_at = as_optional_time(at(13)),
          .preempt_acked_at = as_optional_time(at(14)),
          .plan = at(15).is_null() ? std::nullopt : std::optional(read_run_plan(as_json(at(15)))),
          .verdict = at(16).is_null() ? std::nullopt : std::optional(read_verdict(as_json(at(16))))};
}

std::optional<AllocationRow> find_allocation(pqxx::transaction_base& tx, const std::string& id) {
  const pqxx::result found =
      run_sql(tx, std::string("SELECT ") + allocation_columns() + from_allocations() + "WHERE a.id = $1", id);
  if (found.empty()) return std::nullopt;
  return read_allocation(found[0]);
}

// Of rows as JSON.
std::vector<ResourceRow> read_resources(const nlohmann::json& rows) {
  std::vector<ResourceRow> resources;
  for (const auto& row : rows) {
    resources.push_back({.rank = row.at("rank").get<int>(),
                         .resources_id = row.at("resources_id").get<std::string>(),
                         .pod_name = row.at("pod_name").get<std::string>(),
                         .node = row.at("node").get<std::string>(),
                         .ip = row.at("ip").get<std::string>(),
                         .slots = row.at("slots").get<int>(),
                         .daemon = row.at("daemon").get<bool>(),
                         .accelerator = row.at("accelerator")});
  }
  return resources;
}

}  // namespace det::store
