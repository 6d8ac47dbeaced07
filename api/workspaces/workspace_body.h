#pragma once

// What people say about a workspace, read and checked before anything is written. Belongs to the io thread.

#include <optional>
#include <string>
#include <string_view>

#include "api/call.h"
#include "store/cluster/workspace_rows.h"
#include "wire/request_fields.h"

namespace det::api {

// Without what would act on the terminals that show it. The sentences are those that clients know.
[[nodiscard]] Status check_workspace_name(std::string_view name);
// The same rules for what else has a name, at most 255 bytes long.
[[nodiscard]] Status check_project_name(std::string_view name);

// kFailedPrecondition for a pool that the cluster has not. Empty is the cluster's default.
// `workspace`: nothing for one that is being made, to which no pool is bound yet.
Task<Status> check_default_pool(ApiServices& services, std::optional<model::WorkspaceId> workspace, std::string pool,
                                std::string field);
// null for {}. `stored` is what there is: shown masks of it mean that it stays. kInvalidArgument for what experiments
// could not run with.
[[nodiscard]] Result<wire::Json> read_storage(const ApiServices& services, const wire::Json& given,
                                              const wire::Json& stored);
// kPermissionDenied for who may not say as whom others' tasks run; a task's token may not.
[[nodiscard]] Status check_may_set_account(const Identity& caller, std::optional<model::WorkspaceId> workspace);

// `storage` with masks in place of its keys.
[[nodiscard]] wire::Json shown_storage(const wire::Json& storage);
// As GET of one shows it; lists leave the storage out.
[[nodiscard]] wire::Json workspace_json(const store::WorkspaceRow& row, bool with_storage);

}  // namespace det::api
