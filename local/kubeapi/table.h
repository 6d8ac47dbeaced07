#pragma once

// metav1.Table: the rows that `kubectl get` prints. Pure.

#include <chrono>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/wall_time.h"
#include "local/kubeapi/object_store.h"
#include "local/kubeapi/resource_type.h"

namespace det::local::kubeapi {

struct ColumnDefinition {
  std::string name;
  std::string type;
  std::string format;
  std::string description;
  int priority = 0;  // more than 0: only with -o wide
};

[[nodiscard]] std::vector<ColumnDefinition> columns_of(const ResourceType& type);
// One JSON value per column.
[[nodiscard]] nlohmann::json cells_of(const ResourceType& type, const nlohmann::json& object, WallTime now);

// What a row carries of its object.
enum class RowObject : std::uint8_t { kMetadata, kWhole, kNone };

// `list_meta` is the metadata of the list (resourceVersion, continue). Without headers: the later rows of a watch.
[[nodiscard]] nlohmann::json render_table(const ResourceType& type, const std::vector<ObjectRef>& objects,
                                          nlohmann::json list_meta, RowObject row_object, bool with_headers,
                                          WallTime now);

// "5s", "3m10s", "4h", "2d3h", as kubectl writes ages; "<invalid>" for the future.
[[nodiscard]] std::string human_duration(std::chrono::seconds duration);
// The age of an RFC 3339 time; "<unknown>" when it is none.
[[nodiscard]] std::string age_of(const std::string& time, WallTime now);

// Built-in types, in core_columns.cc; empty for others.
[[nodiscard]] std::vector<ColumnDefinition> core_columns(const ResourceType& type);
[[nodiscard]] nlohmann::json core_cells(const ResourceType& type, const nlohmann::json& object, WallTime now);

}  // namespace det::local::kubeapi
