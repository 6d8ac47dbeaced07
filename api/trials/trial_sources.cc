// Links between trials and the checkpoints that they use: batch inference.

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/authorize.h"
#include "api/trials/routes.h"
#include "api/trials/source_kind.h"
#include "base/uuid.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// ModelVersionRow::id, when the checkpoint was taken from the registry.
Task<Result<std::optional<std::int64_t>>> used_version(ApiServices& services, Identity caller,
                                                       std::optional<std::int64_t> model,
                                                       std::optional<std::int64_t> version, std::string checkpoint) {
  if (!model && !version) co_return std::nullopt;
  if (!model || !version) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "trialSourceInfo.modelId and trialSourceInfo.modelVersion: both are needed to name a version",
                   "trialSourceInfo.modelVersion");
  }
  const auto of_model = co_await services.stores.models.find(std::to_string(*model));
  DET_CO_TRY(of_model);
  const auto row = co_await services.stores.model_versions.find(model::RegisteredModelId{*model}, *version);
  DET_CO_TRY(row);
  // A model that its user may not see is one that there is not.
  if (!*of_model || !*row || !may(caller, model::Permission::kViewModelRegistry, (**of_model).workspace)) {
    co_return fail(ErrorCode::kNotFound,
                   "version " + std::to_string(*version) + " for model \"" + std::to_string(*model) + "\" not found");
  }
  if ((**row).checkpoint.row.uuid != canonical_uuid(checkpoint)) {
    co_return fail(
        ErrorCode::kInvalidArgument,
        "trialSourceInfo.checkpointUuid: that version of the model is checkpoint " + (**row).checkpoint.row.uuid,
        "trialSourceInfo.checkpointUuid");
  }
  co_return (**row).id;
}

}  // namespace

Task<Result<http::Response>> report_trial_source(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields request(*body);
  request.require("trialSourceInfo");
  wire::RequestFields fields = request.object("trialSourceInfo");
  DET_CO_TRY(request.status());
  for (const char* name : {"trialId", "checkpointUuid", "trialSourceInfoType"}) fields.require(name);
  const std::int64_t trial = fields.integer("trialId").value_or(0);
  const std::string checkpoint = fields.string("checkpointUuid").value_or("");
  const std::string type = fields.string("trialSourceInfoType").value_or("");
  const auto model = fields.integer("modelId");
  const auto version = fields.integer("modelVersion");
  DET_CO_TRY(fields.status());
  const auto kind = read_source_kind(type);
  if (!kind) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "trialSourceInfo.trialSourceInfoType: '" + type + "' is not " + std::string(kSourceKinds),
                   "trialSourceInfo.trialSourceInfoType");
  }
  if (!is_uuid(checkpoint)) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "trialSourceInfo.checkpointUuid: '" + checkpoint + "' is not the uuid of a checkpoint",
                   "trialSourceInfo.checkpointUuid");
  }
  const auto row = co_await services.stores.trials.find(model::TrialId{trial});
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "trial '" + std::to_string(trial) + "' not found");
  DET_CO_TRY(co_await check_task(services, call.caller, (**row).task_id));
  std::vector<std::string> checkpoints = {checkpoint};
  DET_CO_TRY(co_await require_checkpoints(services, call.caller, std::move(checkpoints),
                                          model::Permission::kViewExperimentArtifacts));
  const auto used = co_await used_version(services, call.caller, model, version, checkpoint);
  DET_CO_TRY(used);
  DET_CO_TRY(co_await services.stores.trial_sources.note(
      {.trial = model::TrialId{trial}, .checkpoint = checkpoint, .kind = *kind, .model_version = *used}));
  co_return ok({{"trialId", trial}, {"checkpointUuid", checkpoint}});
}

}  // namespace det::api::routes
