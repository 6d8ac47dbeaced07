#pragma once

// How many lines of logs a search finds, as the answer of a route. Belongs to the io thread.

#include <string>
#include <vector>

#include "api/call.h"

namespace det::api {

// {"count": "12", "isAll": true} for the logs of these tasks together. It counts for up to 5 s and up to 100,000 lines;
// isAll is false where it ended before the logs did. The query's task, limit and order are not looked at.
[[nodiscard]] Task<Result<http::Response>> count_lines(ApiServices& services, std::vector<std::string> tasks,
                                                       store::LogQuery query);

}  // namespace det::api
