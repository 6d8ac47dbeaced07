#pragma once

// The versions of the registry's models: completed checkpoints, which nothing removes while they are one. Belongs to
// the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <vector>

#include "pg/pool.h"
#include "store/registry/registry_rows.h"

namespace det::store {

class ModelVersionStore {
 public:
  explicit ModelVersionStore(pg::Pool& pool) : pool_(pool) {}

  Task<Result<std::optional<ModelVersionRow>>> find(model::RegisteredModelId model, std::int64_t version);
  // The numbers of the versions; `of` brings these themselves, in this order, without those that are gone meanwhile.
  Task<Result<Paged<std::int64_t>>> list_numbers(ModelVersionQuery query);
  Task<Result<std::vector<ModelVersionRow>>> of(model::RegisteredModelId model, std::vector<std::int64_t> numbers);
  // The next number. kNotFound for the model or the checkpoint, kFailedPrecondition for an archived model, a checkpoint
  // that is not complete or an experiment that is being deleted, kAborted when the checkpoint's files are going.
  Task<Result<ModelVersionRow>> add(NewModelVersion version);
  // kNotFound when it is gone.
  Task<Result<ModelVersionRow>> change(model::RegisteredModelId model, std::int64_t version, ModelVersionPatch patch);
  // Its number is not given again. kNotFound when it is gone.
  Task<Status> remove(model::RegisteredModelId model, std::int64_t version);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
