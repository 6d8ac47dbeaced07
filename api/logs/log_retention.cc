// How long logs are kept, and their removal at once.

#include "model/cluster/log_retention.h"
#include "api/arguments.h"
#include "api/logs/routes.h"
#include "base/log.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// The call of a removal is answered after this; what is left goes with the next one, or as the schedule says.
constexpr std::chrono::seconds kLongestCall{45};

Result<int> read_days(const Call& call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("numDays");
  const auto days = fields.integer("numDays");
  DET_TRY(fields.status());
  if (*days < model::kKeepForEver || *days > model::kMostRetentionDays) {
    return fail(ErrorCode::kInvalidArgument,
                "numDays: must be -1 (for ever) or 0 to " + std::to_string(model::kMostRetentionDays) + " days, not " +
                    std::to_string(*days),
                "numDays");
  }
  return static_cast<int>(*days);
}

template <typename Id>
Task<Result<http::Response>> retain_logs(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto days = read_days(call);
  DET_CO_TRY(days);
  DET_CO_TRY(co_await services.stores.log_retention.set_days(Id{*id}, *days));
  co_return ok();
}

wire::Json to_json(const store::HeldLogs& held) {
  return {{"tasks", held.tasks}, {"bytes", wire::int64(held.bytes)}};
}

}  // namespace

Task<Result<http::Response>> retain_experiment_logs(ApiServices& services, Call call) {
  return retain_logs<model::ExperimentId>(services, std::move(call));
}

Task<Result<http::Response>> retain_trial_logs(ApiServices& services, Call call) {
  return retain_logs<model::TrialId>(services, std::move(call));
}

Task<Result<http::Response>> clean_up_logs(ApiServices& services, Call call) {
  const auto removed = co_await services.stores.log_retention.remove_expired(
      services.settings.master.log_retention.days, services.clock, kLongestCall);
  DET_CO_TRY(removed);
  Logger("api").info("logs were removed, as log_retention_days says", {{"tasks", removed->tasks},
                                                                       {"lines", removed->lines},
                                                                       {"bytes", removed->bytes},
                                                                       {"user", call.caller.user.username}});
  co_return ok({{"removedCount", wire::int64(removed->lines)}});
}

Task<Result<http::Response>> held_logs(ApiServices& services, Call) {
  const auto held = co_await services.stores.log_retention.held(services.settings.master.log_retention.days);
  DET_CO_TRY(held);
  co_return ok(to_json(*held));
}

Task<Result<http::Response>> release_held_logs(ApiServices& services, Call call) {
  const auto held = co_await services.stores.log_retention.release_held(services.settings.master.log_retention.days);
  DET_CO_TRY(held);
  Logger("api").info("logs of tasks that were started before log_retention_days took effect follow it now",
                     {{"tasks", held->tasks}, {"bytes", held->bytes}, {"user", call.caller.user.username}});
  co_return ok(to_json(*held));
}

}  // namespace det::api::routes
