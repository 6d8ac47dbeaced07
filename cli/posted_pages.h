#pragma once

// Lists that are asked for by POST, page by page.

#include <string>

#include "base/task.h"
#include "cli/master_client.h"
#include "cli/program.h"

namespace det::cli {

// The answer of `path` to `body` with "offset" and "limit"; unless one page is wanted, with the items `key` of all
// pages from there on.
Task<Result<Json>> post_pages(MasterClient& client, std::string path, std::string key, Json body, PageOptions options);

}  // namespace det::cli
