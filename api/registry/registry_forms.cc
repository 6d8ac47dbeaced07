#include "api/registry/registry_forms.h"

#include <algorithm>
#include <set>

#include "api/arguments.h"
#include "api/checkpoints/checkpoint_json.h"

namespace det::api {

namespace {

constexpr std::size_t kLongestName = 256;

std::unexpected<Error> wrong_name(const std::string& message) {
  return fail(ErrorCode::kInvalidArgument, message, "name");
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

wire::Json model_json(const store::RegisteredModelRow& row) {
  return {{"id", row.id.value},
          {"name", row.name},
          {"description", row.description},
          {"metadata", row.metadata},
          {"creationTime", wire::time(row.created_at)},
          {"lastUpdatedTime", wire::time(row.changed_at)},
          {"numVersions", row.versions},
          {"labels", row.labels},
          {"username", row.owner_name},
          {"userId", row.owner.value},
          {"workspaceId", row.workspace.value},
          {"archived", row.archived},
          {"notes", row.notes}};
}

wire::Json model_version_json(const store::RegisteredModelRow& model, const store::ModelVersionRow& row,
                              const store::UserRow& reader) {
  return {{"id", row.id},
          {"model", model_json(model)},
          {"checkpoint", checkpoint_json(row.checkpoint, reader)},
          {"version", row.version},
          {"creationTime", wire::time(row.created_at)},
          {"lastUpdatedTime", wire::time(row.changed_at)},
          {"name", row.name},
          {"comment", row.comment},
          {"metadata", row.metadata},
          {"labels", row.labels},
          {"notes", row.notes},
          {"username", row.owner_name},
          {"userId", row.owner.value}};
}

Status check_model_name(const std::string& name) {
  if (name.find_first_not_of(' ') == std::string::npos) return wrong_name("model names cannot be blank");
  if (name.find("  ") != std::string::npos) return wrong_name("model names cannot have excessive spacing");
  if (name.find_first_of("/\\") != std::string::npos) return wrong_name("model names cannot have slashes");
  if (std::ranges::all_of(name, is_digit)) return wrong_name("model names cannot be only numbers");
  if (std::ranges::any_of(name, is_control)) return wrong_name("model names cannot have control characters");
  if (name.size() > kLongestName) {
    return wrong_name("model names cannot be longer than " + std::to_string(kLongestName) + " bytes; this one has " +
                      std::to_string(name.size()));
  }
  return {};
}

std::optional<std::vector<std::string>> read_labels(wire::RequestFields& fields) {
  const auto given = fields.strings("labels");
  if (!given) return std::nullopt;
  std::vector<std::string> labels;
  std::set<std::string_view> seen;
  for (const std::string& label : *given) {
    if (seen.insert(label).second) labels.push_back(label);
  }
  return labels;
}

Result<std::optional<wire::Json>> read_metadata(wire::RequestFields& fields) {
  const wire::Json* metadata = fields.any("metadata");
  if (metadata == nullptr) return std::nullopt;
  if (!metadata->is_object()) {
    return fail(ErrorCode::kInvalidArgument, "metadata: expected an object, got " + std::string(metadata->type_name()),
                "metadata");
  }
  return *metadata;
}

Task<Result<store::RegisteredModelRow>> named_model(ApiServices& services, Call call) {
  const std::string name = path_text(call.request, "name");
  auto row = co_await services.stores.models.find(name);
  DET_CO_TRY(row);
  if (!*row) co_return fail(ErrorCode::kNotFound, "model \"" + name + "\" not found");
  co_return std::move(**row);
}

Task<Result<std::optional<model::WorkspaceId>>> workspace_of(ApiServices& services, std::optional<std::int64_t> id,
                                                             std::optional<std::string> name) {
  // Whether there is one of this id the store asks when it is written.
  if (id) co_return model::WorkspaceId{*id};
  if (!name) co_return std::nullopt;
  const auto row = co_await services.stores.workspaces.for_tasks_named(*name);
  DET_CO_TRY(row);
  co_return row->id;
}

}  // namespace det::api
