// How long logs are kept, and their removal at once.

#include "model/cluster/log_retention.h"
#include "api/arguments.h"
#include "api/authorize.h"
#include "api/experiments/bulk_filter.h"
#include "api/logs/routes.h"
#include "base/log.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// The call of a removal is answered after this; what is left goes with the next one, or as the schedule says.
constexpr std::chrono::seconds kLongestCall{45};

Result<int> read_days(wire::RequestFields& fields) {
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
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const auto days = read_days(fields);
  DET_CO_TRY(days);
  DET_CO_TRY(co_await services.stores.log_retention.set_days(Id{*id}, *days));
  co_return ok();
}

Task<Status> retain_one(ApiServices& services, Identity caller, model::ExperimentId id, int days,
                        std::optional<model::ProjectId> project) {
  DET_CO_TRY(co_await check_chosen(services, caller, id, model::Permission::kUpdateExperiment, project));
  DET_CO_TRY(co_await check_experiment_owner(services, std::move(caller), id));
  co_return co_await services.stores.log_retention.set_days(id, days);
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

// Each for itself, with an error of its own.
Task<Result<http::Response>> retain_logs_of_many(ApiServices& services, Call call) {
  const auto project = bulk_project(call.request);
  DET_CO_TRY(project);
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const auto days = read_days(fields);
  DET_CO_TRY(days);
  auto choice = read_bulk_choice(fields);
  DET_CO_TRY(choice);
  const auto ids =
      co_await find_chosen(services, call.caller, std::move(*choice), model::Permission::kUpdateExperiment, *project);
  DET_CO_TRY(ids);
  wire::Json results = wire::Json::array();
  for (const model::ExperimentId id : *ids) {
    const Status done = co_await retain_one(services, call.caller, id, *days, *project);
    results.push_back({{"id", id.value}, {"error", done ? "" : done.error().message}});
  }
  co_return ok({{"results", std::move(results)}});
}

Task<Result<http::Response>> days_until_removal(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto left = co_await services.stores.log_retention.days_left(
      model::TrialId{*id}, services.settings.master.log_retention.days, services.clock.wall_now());
  DET_CO_TRY(left);
  wire::Json answer = wire::Json::object();
  if (*left) answer["remainingDays"] = **left;
  co_return ok(answer);
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
