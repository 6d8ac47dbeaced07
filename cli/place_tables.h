#pragma once

// Workspaces and projects of the API as tables: same columns, order and texts as the Python command line's. Pure.

#include "cli/table.h"
#include "cli/text.h"

namespace det::cli {

// Of lists of v1Workspace and v1Project.
[[nodiscard]] Table workspace_table(const Json& workspaces, bool with_storage);
[[nodiscard]] Table project_table(const Json& projects);
// As Python writes a dictionary: "{'type': 's3'}".
[[nodiscard]] std::string python_text(const Json& value);

}  // namespace det::cli
