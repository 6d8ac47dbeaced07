#include <algorithm>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/authorize.h"
#include "api/body.h"
#include "api/experiments/experiment_create.h"
#include "api/experiments/experiment_json.h"
#include "api/unmanaged/routes.h"
#include "api/views.h"
#include "base/encoding.h"
#include "model/expconf/secret_fields.h"
#include "wire/enums.h"

namespace det::api::routes {

namespace {

constexpr std::size_t kLongestId = 256;  // bytes

// Ids are texts of other programs; they stand in paths, lists and terminals.
Status check_external_id(const std::string& id, const char* field) {
  const bool is_printable =
      std::ranges::all_of(id, [](unsigned char c) { return c >= 0x20 && c != 0x7f; }) && is_valid_utf8(id);
  if (!id.empty() && id.size() <= kLongestId && is_printable) return {};
  return fail(ErrorCode::kInvalidArgument, std::string(field) + ": expected 1 to 256 bytes of printable text", field);
}

Task<Result<http::Response>> answer_trial(ApiServices& services, model::TrialId id) {
  const auto view = co_await services.stores.trials.view(id);
  DET_CO_TRY(view);
  if (!*view) co_return fail(ErrorCode::kNotFound, "trial '" + to_string(id) + "' not found");
  co_return ok({{"trial", wire::to_json(to_wire(**view))}});
}

Task<Result<http::Response>> make_trial(ApiServices& services, Call call, wire::RequestFields fields,
                                        std::string external_id) {
  fields.require("experimentId");
  store::UnmanagedTrial trial{.experiment = {fields.integer("experimentId").value_or(0)},
                              .external_id = std::move(external_id)};
  const bool is_unmanaged = fields.boolean("unmanaged").value_or(false);
  DET_CO_TRY(fields.status());
  if (!is_unmanaged) co_return fail(ErrorCode::kInvalidArgument, "only unmanaged trials are supported", "unmanaged");
  if (const wire::Json* const hparams = fields.any("hparams")) {
    if (!hparams->is_object()) co_return fail(ErrorCode::kInvalidArgument, "hparams: expected an object", "hparams");
    trial.hparams = *hparams;
  }
  DET_CO_TRY(co_await check_reporter(services, call.caller, trial.experiment));
  call.note.object = "experiments/" + to_string(trial.experiment);
  const auto id = co_await services.stores.unmanaged.put_trial(std::move(trial));
  DET_CO_TRY(id);
  co_return co_await answer_trial(services, *id);
}

// What a program may say of its trial; the others are nothing that happens to one.
Result<std::optional<model::TrialState>> read_state(wire::RequestFields& fields) {
  const auto word = fields.string("state");
  DET_TRY(fields.status());
  if (!word) return std::nullopt;
  if (*word == "STATE_RUNNING" || *word == "STATE_ACTIVE") return model::TrialState::kActive;
  if (*word == "STATE_COMPLETED") return model::TrialState::kCompleted;
  if (*word == "STATE_ERROR") return model::TrialState::kError;
  if (*word == "STATE_CANCELED") return model::TrialState::kCanceled;
  return fail(ErrorCode::kInvalidArgument,
              "state: '" + *word + "' is not STATE_RUNNING, STATE_COMPLETED, STATE_ERROR or STATE_CANCELED", "state");
}

}  // namespace

Task<Result<http::Response>> put_experiment(ApiServices& services, Call call) {
  std::string external_id = path_text(call.request, "name");
  DET_CO_TRY(check_external_id(external_id, "externalExperimentId"));
  auto work = [body = call.request.body.view()]() { return read_create_request(body); };
  auto request = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(request);
  if (!request->is_unmanaged) {
    co_return fail(ErrorCode::kInvalidArgument, "only unmanaged experiments are supported", "unmanaged");
  }
  request->external_id = std::move(external_id);
  auto created = co_await api::create_experiment(services, std::move(*request), call.caller);
  DET_CO_TRY(created);
  wire::Json answer = {{"experiment", wire::unspecified_experiment()},
                       {"config", model::hide_secrets(created->config)},
                       {"configWarnings", created->warnings}};
  if (!created->id) co_return ok(answer);
  call.note.object = "experiments/" + to_string(*created->id);
  const auto view = co_await services.stores.experiments.view(*created->id);
  DET_CO_TRY(view);
  if (!*view) co_return fail(ErrorCode::kNotFound, "experiment '" + to_string(*created->id) + "' not found");
  auto write = [&] {
    answer["experiment"] = experiment_json(services, **view);
    return ok(answer);
  };
  co_return co_await write_experiment_answer(services, **view, std::move(write));
}

Task<Result<http::Response>> create_trial(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  co_return co_await make_trial(services, call, wire::RequestFields(*body), {});
}

// {"createTrialRequest":{...},"externalTrialId":"..."}
Task<Result<http::Response>> put_trial(ApiServices& services, Call call) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  std::string external_id = fields.string("externalTrialId").value_or("");
  wire::RequestFields trial = fields.object("createTrialRequest");
  DET_CO_TRY(fields.status());
  DET_CO_TRY(check_external_id(external_id, "externalTrialId"));
  co_return co_await make_trial(services, call, std::move(trial), std::move(external_id));
}

Task<Result<http::Response>> find_external_trial(ApiServices& services, Call call) {
  const std::string experiment = path_text(call.request, "experiment");
  const std::string trial = path_text(call.request, "trial");
  const auto id = co_await services.stores.unmanaged.find_external(experiment, trial);
  DET_CO_TRY(id);
  const auto unknown = [&] {
    return fail(ErrorCode::kNotFound,
                "trial with external id '" + trial + "' of experiment '" + experiment + "' not found");
  };
  if (!*id) co_return unknown();
  std::vector<std::int64_t> ids = {(**id).value};
  const Status seen =
      co_await require_trials(services, call.caller, std::move(ids), model::Permission::kViewExperimentMetadata);
  // Whoever may not see it does not learn its number.
  if (!seen && seen.error().code == ErrorCode::kNotFound) co_return unknown();
  DET_CO_TRY(seen);
  co_return co_await answer_trial(services, **id);
}

Task<Result<http::Response>> start_trial(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const bool resume = fields.boolean("resume").value_or(false);
  DET_CO_TRY(fields.status());
  const auto run = co_await services.stores.unmanaged.start(model::TrialId{*id}, resume);
  DET_CO_TRY(run);
  wire::Json answer = {{"trialRunId", run->run}, {"stepsCompleted", run->steps}};
  if (!run->checkpoint.empty()) answer["latestCheckpoint"] = run->checkpoint;
  co_return ok(answer);
}

Task<Result<http::Response>> patch_trial(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const auto state = read_state(fields);
  DET_CO_TRY(state);
  DET_CO_TRY(co_await services.stores.unmanaged.heartbeat(model::TrialId{*id}, *state));
  co_return co_await answer_trial(services, model::TrialId{*id});
}

}  // namespace det::api::routes
