// Which projects somebody looked at last, for the pages that show them.

#include <algorithm>

#include "api/access_check.h"
#include "api/arguments.h"
#include "api/projects/project_json.h"
#include "api/users/routes.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

// Each is read by itself.
constexpr std::int64_t kMostProjects = 50;
constexpr std::int64_t kProjects = 5;  // where no limit is given

}  // namespace

// {"activityType":"ACTIVITY_TYPE_GET","entityType":"ENTITY_TYPE_PROJECT","entityId":1}
Task<Result<http::Response>> post_activity(ApiServices& services, Call call) {
  const auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  for (const char* name : {"activityType", "entityType", "entityId"}) fields.require(name);
  const std::string activity = fields.string("activityType").value_or("");
  const std::string entity = fields.string("entityType").value_or("");
  const std::int64_t id = fields.integer("entityId").value_or(0);
  DET_CO_TRY(fields.status());
  if (activity != "ACTIVITY_TYPE_GET") {
    co_return fail(ErrorCode::kInvalidArgument, "activityType: expected ACTIVITY_TYPE_GET, got '" + activity + "'",
                   "activityType");
  }
  if (entity != "ENTITY_TYPE_PROJECT") {
    co_return fail(ErrorCode::kInvalidArgument, "entityType: expected ENTITY_TYPE_PROJECT, got '" + entity + "'",
                   "entityType");
  }
  DET_CO_TRY(co_await require_project(services, call.caller, model::ProjectId{id}, model::Permission::kViewProject));
  DET_CO_TRY(co_await services.stores.activity.note_visit(call.caller.user.id, model::ProjectId{id}));
  co_return ok();
}

Task<Result<http::Response>> visited_projects(ApiServices& services, Call call) {
  QueryArguments query(call.request.query);
  const std::int64_t asked = query.integer("limit").value_or(0);
  DET_CO_TRY(query.status());
  const std::int64_t limit = asked <= 0 ? kProjects : std::min(asked, kMostProjects);
  const auto ids = co_await services.stores.activity.visited(call.caller.user.id, static_cast<int>(limit),
                                                             visible(call.caller, model::Permission::kViewProject));
  DET_CO_TRY(ids);
  wire::Json list = wire::Json::array();
  for (const model::ProjectId id : *ids) {
    const auto row = co_await services.stores.projects.find(id);
    DET_CO_TRY(row);
    if (*row && may(call.caller, model::Permission::kViewProject, (**row).workspace)) {
      list.push_back(project_json(**row));
    }
  }
  co_return ok({{"projects", list}});
}

}  // namespace det::api::routes
