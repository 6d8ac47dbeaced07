#include "api/access_check.h"
#include "api/arguments.h"
#include "api/body.h"
#include "api/projects/routes.h"
#include "base/log.h"
#include "wire/quoted.h"
#include "wire/request_fields.h"

namespace det::api::routes {

namespace {

Task<Result<http::Response>> set_archived(ApiServices& services, Call call, bool archived) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  DET_CO_TRY(co_await services.stores.projects.set_archived(model::ProjectId{*id}, archived));
  co_return ok();
}

Result<wire::Json> read_note(wire::RequestFields fields) {
  wire::Json note = {{"name", fields.string("name").value_or("")},
                     {"contents", fields.string("contents").value_or("")}};
  DET_TRY(fields.status());
  return note;
}

Result<wire::Json> read_notes(const wire::Json& body) {
  wire::RequestFields fields(body);
  const wire::Json* given = fields.any("notes");
  wire::Json notes = wire::Json::array();
  if (given == nullptr) return notes;
  if (!given->is_array()) {
    return fail(ErrorCode::kInvalidArgument, "notes: expected a list, got " + wire::quoted(*given), "notes");
  }
  for (std::size_t i = 0; i < given->size(); ++i) {
    const std::string path = "notes[" + std::to_string(i) + "]";
    if (!(*given)[i].is_object()) {
      return fail(ErrorCode::kInvalidArgument,
                  path + ": expected an object with a name and contents, got " + wire::quoted((*given)[i]), path);
    }
    auto note = read_note(wire::RequestFields((*given)[i], path + "."));
    DET_TRY(note);
    notes.push_back(std::move(*note));
  }
  return notes;
}

}  // namespace

Task<Result<http::Response>> archive_project(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), true);
}

Task<Result<http::Response>> unarchive_project(ApiServices& services, Call call) {
  return set_archived(services, std::move(call), false);
}

Task<Result<http::Response>> move_project(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  auto body = wire::parse_body(call.request.body.view());
  DET_CO_TRY(body);
  wire::RequestFields fields(*body);
  fields.require("destinationWorkspaceId");
  const model::WorkspaceId to{fields.integer("destinationWorkspaceId").value_or(0)};
  DET_CO_TRY(fields.status());
  // The workspace's owner may change what is in it, not take it elsewhere.
  DET_CO_TRY(require(call.caller, model::Permission::kCreateProject, to));
  const auto owners = co_await services.stores.projects.owners(model::ProjectId{*id});
  DET_CO_TRY(owners);
  if (*owners && !has_roles(call.caller) && !call.caller.user.admin && (*owners)->project != call.caller.user.id) {
    co_return fail(ErrorCode::kPermissionDenied, "non admin users can't move projects that someone else owns");
  }
  DET_CO_TRY(co_await services.stores.projects.move(model::ProjectId{*id}, to));
  co_return ok();
}

Task<Result<http::Response>> delete_project(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto completed = co_await services.stores.removals.begin_delete_project(model::ProjectId{*id});
  DET_CO_TRY(completed);
  const Logger log("api");
  log.info(*completed ? "project deleted" : "project is being deleted",
           {{"project", *id}, {"user", call.caller.user.username}});
  co_return ok({{"completed", *completed}});
}

// The body is the note itself.
Task<Result<http::Response>> add_project_note(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  auto note = read_note(wire::RequestFields(*body));
  DET_CO_TRY(note);
  wire::Json added = wire::Json::array();
  added.push_back(std::move(*note));
  const auto notes = co_await services.stores.projects.set_notes(model::ProjectId{*id}, std::move(added), true);
  DET_CO_TRY(notes);
  co_return ok({{"notes", *notes}});
}

Task<Result<http::Response>> put_project_notes(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  const auto body = co_await parse_body(services, call);
  DET_CO_TRY(body);
  auto given = read_notes(*body);
  DET_CO_TRY(given);
  const auto notes = co_await services.stores.projects.set_notes(model::ProjectId{*id}, std::move(*given), false);
  DET_CO_TRY(notes);
  co_return ok({{"notes", *notes}});
}

}  // namespace det::api::routes
