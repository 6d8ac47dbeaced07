// What the trials that use a checkpoint reported: batch inference.

#include "api/arguments.h"
#include "api/checkpoints/routes.h"
#include "api/trials/source_kind.h"
#include "api/trials/source_metrics.h"
#include "base/uuid.h"

namespace det::api::routes {

Task<Result<http::Response>> checkpoint_metrics(ApiServices& services, Call call) {
  const std::string uuid = path_text(call.request, "uuid");
  QueryArguments query(call.request.query);
  const auto kinds = query.words("trialSourceInfoType", read_source_kind, kSourceKinds);
  const std::string group = query.text("metricGroup").value_or("");
  DET_CO_TRY(query.status());
  std::unexpected<Error> not_found = fail(ErrorCode::kNotFound, "checkpoint '" + uuid + "' not found");
  if (!is_uuid(uuid)) co_return not_found;
  const auto known = co_await services.stores.checkpoints.find(uuid);
  DET_CO_TRY(known);
  if (!*known) co_return not_found;
  const auto kind = kinds.empty() ? std::nullopt : std::optional(kinds.front());
  auto trials = co_await services.stores.trial_sources.trials_of(uuid, kind, kMostSourceTrials);
  DET_CO_TRY(trials);
  co_return co_await metrics_of_trials(services, call.caller, std::move(*trials), group);
}

}  // namespace det::api::routes
