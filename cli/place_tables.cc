#include "cli/place_tables.h"

namespace det::cli {
namespace {

// Empty texts are shown as what is not there.
Json or_nothing(const Json& value) {
  return value == "" ? Json() : value;
}

}  // namespace

std::string python_text(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const char quote = text.contains('\'') && !text.contains('"') ? '"' : '\'';
    std::string shown(1, quote);
    for (const char c : text) {
      if (c == '\\' || c == quote) shown += '\\';
      shown += c;
    }
    return shown + quote;
  }
  if (!value.is_structured()) return value.dump();
  std::string shown;
  for (const auto& [key, item] : value.items()) {
    if (!shown.empty()) shown += ", ";
    if (value.is_object()) shown += python_text(Json(key)) + ": ";
    shown += python_text(item);
  }
  return value.is_object() ? "{" + shown + "}" : "[" + shown + "]";
}

Table workspace_table(const Json& workspaces, bool with_storage) {
  Table table{.headers = {"ID", "Name", "# Projects", "Agent Uid", "Agent Gid", "Agent User", "Agent Group",
                          "Default Compute Pool", "Default Aux Pool"},
              .rows = {}};
  if (with_storage) table.headers.emplace_back("Checkpoint Storage Config");
  for (const Json& workspace : workspaces) {
    const Json agent = field(workspace, "agentUserGroup");
    std::vector<Json> row = {field(workspace, "id"), text_field(workspace, "name"), field(workspace, "numProjects")};
    for (const char* key : {"agentUid", "agentGid", "agentUser", "agentGroup"}) row.push_back(field(agent, key));
    for (const char* key : {"defaultComputePool", "defaultAuxPool"}) row.push_back(or_nothing(field(workspace, key)));
    if (with_storage) {
      const Json storage = field(workspace, "checkpointStorageConfig");
      row.push_back(storage.is_null() ? Json() : Json(python_text(storage)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table project_table(const Json& projects) {
  Table table{.headers = {"ID", "Key", "Name", "Description", "# Experiments", "# Active Experiments"}, .rows = {}};
  for (const Json& project : projects) {
    table.rows.push_back({field(project, "id"), text_field(project, "key"), text_field(project, "name"),
                          text_field(project, "description"), field(project, "numExperiments"),
                          field(project, "numActiveExperiments")});
  }
  return table;
}

}  // namespace det::cli
