#pragma once

// The models of the registry. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pg/pool.h"
#include "store/registry/registry_rows.h"

namespace det::store {

// Digits are an id; all else is a name, which may be "-5".
[[nodiscard]] std::optional<std::int64_t> read_model_id(std::string_view identifier);

class RegisteredModelStore {
 public:
  explicit RegisteredModelStore(pg::Pool& pool) : pool_(pool) {}

  // `identifier`: an id or a name, as read_model_id tells them apart.
  Task<Result<std::optional<RegisteredModelRow>>> find(std::string identifier);
  Task<Result<Paged<RegisteredModelRow>>> list(RegisteredModelFilter filter);
  // Each label once, those of most models first. Nothing: of all workspaces.
  Task<Result<std::vector<std::string>>> labels(std::optional<std::vector<model::WorkspaceId>> workspaces);
  // kAlreadyExists for a name that is taken, kNotFound for an unknown workspace.
  Task<Result<RegisteredModelRow>> create(NewRegisteredModel model);
  // As create, and kNotFound when it is gone, kFailedPrecondition when it is archived.
  Task<Result<RegisteredModelRow>> change(model::RegisteredModelId id, RegisteredModelPatch patch);
  // An archived one moves, too. kNotFound for the model or the workspace.
  Task<Status> move(model::RegisteredModelId id, model::WorkspaceId workspace);
  Task<Status> set_archived(model::RegisteredModelId id, bool archived);
  // With its versions; their checkpoints stay, but are protected no more.
  Task<Status> remove(model::RegisteredModelId id);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
