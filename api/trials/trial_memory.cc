#include "api/trials/trial_memory.h"

namespace det::api {

namespace {

std::optional<double> length_of(const nlohmann::json& length) {
  if (length.is_number()) return length.get<double>();
  if (length.is_object() && length.size() == 1 && length.begin()->is_number()) return length.begin()->get<double>();
  return std::nullopt;
}

}  // namespace

TrialContext facts_of(const store::TrialRow& trial, const nlohmann::json& config) {
  TrialContext facts;
  facts.trial = trial.id;
  facts.experiment = trial.experiment;
  facts.request_id = trial.request_id;
  facts.task_id = trial.task_id;
  if (!config.is_object() || !config.contains("searcher") || !config["searcher"].is_object()) return facts;
  const nlohmann::json& searcher = config["searcher"];
  const auto text = [&searcher](const char* name) {
    const auto at = searcher.find(name);
    return at != searcher.end() && at->is_string() ? at->get<std::string>() : std::string();
  };
  facts.metric = text("metric");
  facts.time_metric = text("time_metric");
  const auto smaller = searcher.find("smaller_is_better");
  facts.smaller_is_better = smaller == searcher.end() || !smaller->is_boolean() || smaller->get<bool>();
  if (searcher.contains("max_length")) {
    const nlohmann::json& length = searcher["max_length"];
    facts.max_length = length_of(length);
    if (facts.max_length && length.is_object()) facts.length_unit = length.begin().key();
  }
  facts.is_custom = text("name") == "custom";
  if (facts.is_custom) facts.length_unit = text("unit");
  const auto batch = trial.hparams.is_object() ? trial.hparams.find("global_batch_size") : trial.hparams.end();
  if (batch != trial.hparams.end() && batch->is_number()) facts.records_per_batch = batch->get<double>();
  return facts;
}

Task<Result<TrialContext>> TrialMemory::facts(model::TrialId id) {
  if (const TrialContext* known = known_.find(id)) co_return *known;
  const std::uint64_t seen = forgets_;
  auto trial = co_await trials_.find(id);
  DET_CO_TRY(trial);
  if (!*trial) co_return fail(ErrorCode::kNotFound, "trial '" + to_string(id) + "' not found");
  auto experiment = co_await experiments_.find((*trial)->experiment);
  DET_CO_TRY(experiment);
  if (!*experiment) co_return fail(ErrorCode::kNotFound, "trial '" + to_string(id) + "' not found");
  TrialContext facts = facts_of(**trial, (*experiment)->config);
  facts.is_unmanaged = (*experiment)->is_unmanaged;
  if (facts.is_unmanaged) facts.is_custom = false;
  if (seen == forgets_) known_.put(id, facts);
  co_return facts;
}

}  // namespace det::api
