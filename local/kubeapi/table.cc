#include "local/kubeapi/table.h"

#include <utility>

#include "base/json_get.h"
#include "local/kubeapi/object_meta.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr const char* kNameHelp =
    "Name must be unique within a namespace. It is the name by which people and programs refer to the object.";

std::string pair_of(std::int64_t major, char major_unit, std::int64_t minor, char minor_unit) {
  std::string text = std::to_string(major) + major_unit;
  if (minor > 0) text.append(std::to_string(minor)).push_back(minor_unit);
  return text;
}

json cell_of(const PrinterColumn& column, const json& object, WallTime now) {
  const auto found = column.path.find(object);
  if (found.empty() || found.front()->is_null()) return column.type == "date" ? json("<unknown>") : json(nullptr);
  const json& value = *found.front();
  if (column.type == "date") return age_of(value.is_string() ? value.get<std::string>() : "", now);
  if (column.type == "string") return value.is_string() ? value : json(value.dump());
  return value.is_structured() ? json(value.dump()) : value;
}

json row_object_of(const StoredObject& object, RowObject wanted) {
  switch (wanted) {
    case RowObject::kWhole:
      return object.value;
    case RowObject::kNone:
      return nullptr;
    case RowObject::kMetadata:
      break;
  }
  return {{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", meta_of(object.value)}};
}

}  // namespace

std::string human_duration(std::chrono::seconds duration) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  constexpr std::int64_t kYear = 365 * kDay;
  const std::int64_t seconds = duration.count();
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * kMinute) return std::to_string(seconds) + "s";
  if (seconds < 10 * kMinute) return pair_of(seconds / kMinute, 'm', seconds % kMinute, 's');
  if (seconds < 3 * kHour) return std::to_string(seconds / kMinute) + "m";
  if (seconds < 8 * kHour) return pair_of(seconds / kHour, 'h', seconds % kHour / kMinute, 'm');
  if (seconds < 2 * kDay) return std::to_string(seconds / kHour) + "h";
  if (seconds < 8 * kDay) return pair_of(seconds / kDay, 'd', seconds % kDay / kHour, 'h');
  if (seconds < 2 * kYear) return std::to_string(seconds / kDay) + "d";
  if (seconds < 8 * kYear) return pair_of(seconds / kYear, 'y', seconds % kYear / kDay, 'd');
  return std::to_string(seconds / kYear) + "y";
}

std::string age_of(const std::string& time, WallTime now) {
  const auto since = parse_rfc3339(time);
  if (!since) return "<unknown>";
  return human_duration(std::chrono::duration_cast<std::chrono::seconds>(now - *since));
}

std::vector<ColumnDefinition> columns_of(const ResourceType& type) {
  if (auto core = core_columns(type); !core.empty()) return core;
  std::vector<ColumnDefinition> columns = {{"Name", "string", "name", kNameHelp, 0}};
  for (const PrinterColumn& column : type.columns) {
    columns.push_back({column.name, column.type, column.format, column.description, column.priority});
  }
  if (type.columns.empty()) columns.push_back({"Age", "date", "", "How long ago it was created.", 0});
  return columns;
}

json cells_of(const ResourceType& type, const json& object, WallTime now) {
  if (json core = core_cells(type, object, now); !core.empty()) return core;
  json cells = json::array({name_of(object)});
  for (const PrinterColumn& column : type.columns) cells.push_back(cell_of(column, object, now));
  if (type.columns.empty()) cells.push_back(age_of(get_string(meta_of(object), "creationTimestamp"), now));
  return cells;
}

json render_table(const ResourceType& type, const std::vector<ObjectRef>& objects, json list_meta, RowObject row_object,
                  bool with_headers, WallTime now) {
  json definitions = json::array();
  if (with_headers) {
    for (const ColumnDefinition& column : columns_of(type)) {
      definitions.push_back({{"name", column.name},
                             {"type", column.type},
                             {"format", column.format},
                             {"description", column.description},
                             {"priority", column.priority}});
    }
  }
  json rows = json::array();
  for (const ObjectRef& object : objects) {
    rows.push_back({{"cells", cells_of(type, object->value, now)}, {"object", row_object_of(*object, row_object)}});
  }
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", std::move(list_meta)},
          {"columnDefinitions", std::move(definitions)},
          {"rows", std::move(rows)}};
}

}  // namespace det::local::kubeapi
