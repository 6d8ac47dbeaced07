#pragma once

// What the registry's routes read and write. For .cc files of this folder.

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "store/registry/registry_rows.h"
#include "wire/request_fields.h"

namespace det::api {

// v1Model.
[[nodiscard]] wire::Json model_json(const store::RegisteredModelRow& row);
// v1ModelVersion.
[[nodiscard]] wire::Json model_version_json(const store::RegisteredModelRow& model, const store::ModelVersionRow& row,
                                            const store::UserRow& reader);

// kInvalidArgument for what no model may be called: blank, only digits (that is an id), with slashes, two spaces in a
// row or control characters, over 256 bytes.
[[nodiscard]] Status check_model_name(const std::string& name);

// Each once, in their order. Nothing when absent.
[[nodiscard]] std::optional<std::vector<std::string>> read_labels(wire::RequestFields& fields);
// "metadata": an object. Nothing when absent.
[[nodiscard]] Result<std::optional<wire::Json>> read_metadata(wire::RequestFields& fields);

// The model that {name} of the path names, by name or id. kNotFound when there is none.
Task<Result<store::RegisteredModelRow>> named_model(ApiServices& services, Call call);
// The workspace that the fields name by id or name; the id counts when there are both. Nothing when absent, kNotFound
// for an unknown name; an unknown id is the store's to refuse.
Task<Result<std::optional<model::WorkspaceId>>> workspace_of(ApiServices& services, std::optional<std::int64_t> id,
                                                             std::optional<std::string> name);

}  // namespace det::api
