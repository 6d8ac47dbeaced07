#include "store/trials/trial_source_store.h"

#include "store/removals/removal_plan.h"
#include "store/sql.h"

namespace det::store {
namespace {

const char* const kHoldTrial = "SELECT 1 FROM trials WHERE id = $1 FOR NO KEY UPDATE";
const char* const kIsThere = "SELECT 1 FROM checkpoints WHERE uuid = $1 AND state <> 'DELETED'";
const char* const kOthers = "SELECT count(*) FROM trial_sources WHERE trial_id = $1 AND checkpoint <> $2";
const char* const kNote =
    "INSERT INTO trial_sources (trial_id, checkpoint, kind, model_version_id) VALUES ($1, $2, $3, $4) "
    "ON CONFLICT (trial_id, checkpoint) DO UPDATE SET kind = excluded.kind, noted_at = excluded.noted_at, "
    "model_version_id = excluded.model_version_id";
const char* const kHoldVersion = "SELECT 1 FROM model_versions WHERE id = $1 FOR KEY SHARE";
const char* const kTrialsOf =
    "SELECT trial_id FROM trial_sources WHERE checkpoint = $1 AND ($2 = '' OR kind = $2) ORDER BY trial_id DESC LIMIT "
    "$3";
const char* const kTrialsOfVersion =
    "SELECT trial_id FROM trial_sources WHERE model_version_id = $1 AND ($2 = '' OR kind = $2) ORDER BY trial_id DESC "
    "LIMIT $3";

std::vector<model::TrialId> read_trials(const pqxx::result& rows) {
  std::vector<model::TrialId> trials;
  for (const auto& row : rows) trials.push_back({row[0].as<std::int64_t>()});
  return trials;
}

const char* word(TrialSourceKind kind) {
  return kind == TrialSourceKind::kInference ? "INFERENCE" : "FINE_TUNING";
}

}  // namespace

Task<Status> TrialSourceStore::note(TrialSource source) {
  auto body = [s = std::move(source)](pg::Transaction& tx) -> Status {
    if (run_sql(tx, kHoldTrial, s.trial.value).empty()) {
      return fail(ErrorCode::kNotFound, "trial '" + to_string(s.trial) + "' not found");
    }
    DET_TRY(hold_checkpoint(tx, s.checkpoint));
    if (run_sql(tx, kIsThere, s.checkpoint).empty()) {
      return fail(ErrorCode::kNotFound, "checkpoint '" + s.checkpoint + "' not found");
    }
    if (run_sql1(tx, kOthers, s.trial.value, s.checkpoint)[0].as<int>() >= kMostPerTrial) {
      return fail(ErrorCode::kFailedPrecondition, "trial '" + to_string(s.trial) + "' uses " +
                                                      std::to_string(kMostPerTrial) +
                                                      " other checkpoints already, which is as many as may be linked");
    }
    if (s.model_version && run_sql(tx, kHoldVersion, *s.model_version).empty()) {
      return not_found("model version", std::to_string(*s.model_version));
    }
    run_sql(tx, kNote, s.trial.value, s.checkpoint, word(s.kind), s.model_version);
    return {};
  };
  co_return co_await pool_.write("note a trial's source", std::move(body));
}

Task<Result<std::vector<model::TrialId>>> TrialSourceStore::trials_of(std::string checkpoint,
                                                                      std::optional<TrialSourceKind> kind, int most) {
  auto body = [c = std::move(checkpoint), kind, most](pg::Transaction& tx) -> Result<std::vector<model::TrialId>> {
    return read_trials(run_sql(tx, kTrialsOf, c, kind ? word(*kind) : "", most));
  };
  co_return co_await pool_.read("trials of a checkpoint", std::move(body));
}

Task<Result<std::vector<model::TrialId>>> TrialSourceStore::trials_of_version(std::int64_t version,
                                                                              std::optional<TrialSourceKind> kind,
                                                                              int most) {
  auto body = [=](pg::Transaction& tx) -> Result<std::vector<model::TrialId>> {
    return read_trials(run_sql(tx, kTrialsOfVersion, version, kind ? word(*kind) : "", most));
  };
  co_return co_await pool_.read("trials of a model version", std::move(body));
}

}  // namespace det::store
