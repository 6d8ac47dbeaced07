#pragma once

// Rows of the model registry. Plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "model/ids.h"
#include "store/checkpoints/checkpoint_store.h"
#include "store/page.h"

namespace det::store {

struct RegisteredModelRow {
  model::RegisteredModelId id;
  std::string name;
  std::string description;
  nlohmann::json metadata = nlohmann::json::object();
  std::vector<std::string> labels;
  std::string notes;
  model::UserId owner;
  std::string owner_name;
  model::WorkspaceId workspace;
  bool archived = false;
  std::int64_t versions = 0;  // how many there are
  WallTime created_at;
  WallTime changed_at;
};

struct NewRegisteredModel {
  std::string name;
  std::string description;
  nlohmann::json metadata = nlohmann::json::object();
  std::vector<std::string> labels;
  std::string notes;
  model::UserId owner;
  model::WorkspaceId workspace;
};

// What is not set stays as it is.
struct RegisteredModelPatch {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<nlohmann::json> metadata;
  std::optional<std::vector<std::string>> labels;
  std::optional<std::string> notes;
  std::optional<model::WorkspaceId> workspace;
};

enum class RegisteredModelSort : std::uint8_t {
  kId,
  kName,
  kDescription,
  kCreationTime,
  kChangeTime,
  kVersions,
  kWorkspace
};

// Empty lists and texts: all.
struct RegisteredModelFilter {
  std::optional<model::RegisteredModelId> id;
  std::string name_part;            // whatever its case
  std::string description_part;     // the same
  std::vector<std::string> labels;  // one of them
  std::optional<bool> archived;
  std::vector<std::string> owner_names;
  std::vector<model::UserId> owners;
  // Nothing: all; an empty list: none.
  std::optional<std::vector<model::WorkspaceId>> workspaces;
  RegisteredModelSort sort = RegisteredModelSort::kId;
  Order order = Order::kAscending;
  Page page;
};

struct ModelVersionRow {
  std::int64_t id = 0;
  std::int64_t version = 0;  // from 1, within its model
  CheckpointView checkpoint;
  std::string name;
  std::string comment;
  nlohmann::json metadata = nlohmann::json::object();
  std::vector<std::string> labels;
  std::string notes;
  model::UserId owner;
  std::string owner_name;
  WallTime created_at;
  WallTime changed_at;
};

struct NewModelVersion {
  model::RegisteredModelId model;
  std::string checkpoint;  // uuid
  std::string name;
  std::string comment;
  nlohmann::json metadata = nlohmann::json::object();
  std::vector<std::string> labels;
  std::string notes;
  model::UserId owner;
};

// What is not set stays as it is.
struct ModelVersionPatch {
  std::optional<std::string> name;
  std::optional<std::string> comment;
  std::optional<nlohmann::json> metadata;
  std::optional<std::vector<std::string>> labels;
  std::optional<std::string> notes;
};

enum class ModelVersionSort : std::uint8_t { kVersion, kCreationTime };

struct ModelVersionQuery {
  model::RegisteredModelId model;
  ModelVersionSort sort = ModelVersionSort::kVersion;
  Order order = Order::kAscending;
  Page page;
};

}  // namespace det::store
