#include "store/webhooks/event_store.h"

#include "store/channels.h"
#include "store/sql.h"
#include "store/webhooks/webhook_events.h"

namespace det::store {
namespace {

// Whether webhook `w` is meant for what runs in workspace `of.workspace` and says `of.wanted` at integrations.webhooks.
const char* const kMeant =
    "(w.workspace_id IS NULL OR w.workspace_id = of.workspace) AND coalesce(of.wanted ->> 'exclude', 'false') <> "
    "'true' AND (w.mode = 'WORKSPACE' OR of.wanted -> 'webhook_id' @> to_jsonb(w.id) OR of.wanted -> 'webhook_name' @> "
    "to_jsonb(w.name)) ";
const char* const kHasRoom =
    "(SELECT count(*) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.state = 'WAITING') < $2 ";

const char* const kExperiment =
    "WITH of AS (SELECT p.workspace_id AS workspace, e.config #> '{integrations,webhooks}' AS wanted, e.state, "
    "jsonb_build_object('id', e.id, 'name', e.name, 'state', e.state, 'start', extract(epoch FROM "
    "e.start_time)::bigint, 'end', extract(epoch FROM e.end_time)::bigint, 'resource_pool', coalesce(e.live -> "
    "'resource_pool', e.config #> '{resources,resource_pool}'), 'slots_per_trial', e.config #> "
    "'{resources,slots_per_trial}', 'workspace', ws.name, "
    "'workspace_id', ws.id, 'project', p.name, 'project_id', p.id) AS experiment FROM experiments e JOIN projects p ON "
    "p.id = e.project_id JOIN workspaces ws ON ws.id = p.workspace_id WHERE e.id = $1) ";
const char* const kTellState =
    "INSERT INTO webhook_deliveries (webhook_id, cause, facts) SELECT DISTINCT ON (w.id) w.id, t.cause, "
    "jsonb_build_object('experiment', of.experiment) FROM of JOIN webhook_triggers t ON t.cause = "
    "'EXPERIMENT_STATE_CHANGE' AND t.condition ->> 'state' = of.state JOIN webhooks w ON w.id = t.webhook_id WHERE ";
const char* const kTellCustom =
    "INSERT INTO webhook_deliveries (webhook_id, cause, facts) SELECT DISTINCT ON (w.id) w.id, t.cause, "
    "jsonb_build_object('experiment', of.experiment, 'trial_id', $3::bigint, 'custom', jsonb_build_object('level', "
    "$4::text, 'title', $5::text, 'description', $6::text)) FROM of JOIN webhook_triggers t ON t.cause = 'CUSTOM' JOIN "
    "webhooks w ON w.id = t.webhook_id WHERE w.mode = 'SPECIFIC' AND ";

const char* const kTask =
    "WITH of AS (SELECT k.number, k.id, k.type, coalesce(p.workspace_id, s.workspace_id) AS workspace, e.config #> "
    "'{integrations,webhooks}' AS wanted, e.id AS experiment_id, r.id AS trial_id FROM tasks k LEFT JOIN trials r ON "
    "r.task_number = k.number LEFT JOIN experiments e ON e.id = r.experiment_id LEFT JOIN projects p ON p.id = "
    "e.project_id LEFT JOIN standalone_tasks s ON s.task_number = k.number WHERE k.id = $1) ";
const char* const kLogTriggers =
    "SELECT t.id, t.condition ->> 'regex' FROM of JOIN webhook_triggers t ON t.cause = 'TASK_LOG' JOIN webhooks w ON "
    "w.id = t.webhook_id WHERE NOT EXISTS (SELECT 1 FROM webhook_log_matches m WHERE m.task_number = of.number AND "
    "m.trigger_id = t.id) AND ";
// A trigger that was deleted meanwhile tells nothing. One whose webhook has no room tells with a later line.
const char* const kFound =
    ", new AS (INSERT INTO webhook_log_matches (task_number, trigger_id) SELECT of.number, t.id FROM of JOIN "
    "webhook_triggers t ON t.id = $3 JOIN webhooks w ON w.id = t.webhook_id WHERE ";
const char* const kTellFound =
    "ON CONFLICT DO NOTHING RETURNING trigger_id) INSERT INTO webhook_deliveries "
    "(webhook_id, cause, facts) SELECT w.id, t.cause, jsonb_build_object('task_id', of.id, 'task_type', of.type, "
    "'node', $4::text, 'log', $5::text, 'regex', t.condition ->> 'regex', 'experiment_id', of.experiment_id, "
    "'trial_id', of.trial_id) FROM new JOIN of ON true JOIN webhook_triggers t ON t.id = new.trigger_id JOIN webhooks "
    "w ON w.id = t.webhook_id";

const char* const kToSend = "queue";

void wake(pg::Transaction& tx, const pqxx::result& told) {
  if (told.affected_rows() > 0) notify(tx, kWebhookChannel, kToSend);
}

}  // namespace

void tell_state_change(pg::Transaction& tx, model::ExperimentId experiment) {
  wake(tx, run_sql(tx, std::string(kExperiment) + kTellState + kMeant, experiment.value));
}

Task<Result<std::vector<LogTrigger>>> WebhookEventStore::log_triggers(std::string task_id) {
  auto body = [task_id](pg::Transaction& tx) -> Result<std::vector<LogTrigger>> {
    std::vector<LogTrigger> triggers;
    for (const auto& row : run_sql(tx, std::string(kTask) + kLogTriggers + kMeant, task_id)) {
      triggers.push_back({.id = row[0].as<std::int64_t>(), .regex = as_text(row[1])});
    }
    return triggers;
  };
  co_return co_await pool_.read("triggers of a log", std::move(body));
}

Task<Result<std::vector<std::int64_t>>> WebhookEventStore::found_in_log(std::string task_id,
                                                                        std::vector<LogFinding> findings) {
  auto body = [task_id, findings = std::move(findings)](pg::Transaction& tx) -> Result<std::vector<std::int64_t>> {
    const std::string statement = std::string(kTask) + kFound + kHasRoom + kTellFound;
    std::vector<std::int64_t> told;
    for (const LogFinding& one : findings) {
      const pqxx::result delivered = run_sql(tx, statement, task_id, kMostWaiting, one.trigger, one.node, one.line);
      if (delivered.affected_rows() > 0) told.push_back(one.trigger);
      wake(tx, delivered);
    }
    return told;
  };
  co_return co_await pool_.write("tell of lines of a log", std::move(body));
}

Task<Status> WebhookEventStore::custom(CustomEvent event) {
  auto body = [e = std::move(event)](pg::Transaction& tx) -> Status {
    const auto trial = e.trial ? std::optional(e.trial->value) : std::nullopt;
    wake(tx, run_sql(tx, std::string(kExperiment) + kTellCustom + kMeant + "AND " + kHasRoom, e.experiment.value,
                     kMostWaiting, trial, e.level, e.title, e.description));
    return {};
  };
  co_return co_await pool_.write_once("tell of a custom event", std::move(body));
}

}  // namespace det::store
