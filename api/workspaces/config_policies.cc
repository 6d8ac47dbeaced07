// What administrators fix and limit for everybody's workloads.

#include "api/arguments.h"
#include "api/body.h"
#include "api/workspaces/named_workspace.h"
#include "api/workspaces/routes.h"
#include "model/cluster/config_policy.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

struct Target {
  store::PolicyScope scope;
  model::WorkloadType type = model::WorkloadType::kExperiment;
};

Result<model::WorkloadType> path_type(const Call& call) {
  const std::string word = path_text(call.request, "type");
  const auto type = model::parse_workload_type(word);
  if (type) return *type;
  return fail(ErrorCode::kInvalidArgument, "invalid workload type: " + word + "; there are EXPERIMENT and NTSC",
              "workloadType");
}

Result<Target> global_target(const Call& call) {
  const auto type = path_type(call);
  DET_TRY(type);
  return Target{.scope = {}, .type = *type};
}

Task<Result<Target>> workspace_target(ApiServices& services, Call call) {
  const auto row = co_await named_workspace(services, call);
  DET_CO_TRY(row);
  const auto type = path_type(call);
  DET_CO_TRY(type);
  co_return Target{.scope = row->id, .type = *type};
}

http::Response policy_response(const wire::Json& policy) {
  return ok({{"configPolicies", policy}});
}

Task<Result<http::Response>> get_policy(ApiServices& services, Target target) {
  const auto policy = co_await services.stores.config_policies.find(target.scope, target.type);
  DET_CO_TRY(policy);
  co_return policy_response(*policy);
}

Task<Result<http::Response>> put_policy(ApiServices& services, Call call, Target target) {
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  const std::string text = fields.string("configPolicies").value_or("");
  DET_CO_TRY(fields.status());
  std::optional<model::ConfigPolicy> above;
  if (target.scope) {
    const auto stored = co_await services.stores.config_policies.find({}, target.type);
    DET_CO_TRY(stored);
    above = model::read_config_policy(*stored);
  }
  auto work = [&target, &text, &above] {
    return model::parse_config_policy(target.type, text, above ? &*above : nullptr);
  };
  const auto policy = co_await run_guarded(services.workers, std::move(work));
  DET_CO_TRY(policy);
  const Status put =
      co_await services.stores.config_policies.put(target.scope, target.type, *policy, call.caller.user.id);
  DET_CO_TRY(put);
  co_return policy_response(*policy);
}

Task<Result<http::Response>> delete_policy(ApiServices& services, Target target) {
  DET_CO_TRY(co_await services.stores.config_policies.remove(target.scope, target.type));
  co_return ok();
}

}  // namespace

Task<Result<http::Response>> get_global_policy(ApiServices& services, Call call) {
  const auto target = global_target(call);
  DET_CO_TRY(target);
  co_return co_await get_policy(services, *target);
}

Task<Result<http::Response>> put_global_policy(ApiServices& services, Call call) {
  const auto target = global_target(call);
  DET_CO_TRY(target);
  co_return co_await put_policy(services, call, *target);
}

Task<Result<http::Response>> delete_global_policy(ApiServices& services, Call call) {
  const auto target = global_target(call);
  DET_CO_TRY(target);
  co_return co_await delete_policy(services, *target);
}

Task<Result<http::Response>> get_workspace_policy(ApiServices& services, Call call) {
  const auto target = co_await workspace_target(services, call);
  DET_CO_TRY(target);
  co_return co_await get_policy(services, *target);
}

Task<Result<http::Response>> put_workspace_policy(ApiServices& services, Call call) {
  const auto target = co_await workspace_target(services, call);
  DET_CO_TRY(target);
  co_return co_await put_policy(services, call, *target);
}

Task<Result<http::Response>> delete_workspace_policy(ApiServices& services, Call call) {
  const auto target = co_await workspace_target(services, call);
  DET_CO_TRY(target);
  co_return co_await delete_policy(services, *target);
}

}  // namespace det::api::routes
