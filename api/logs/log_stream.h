#pragma once

// The bodies of log streams: newline-delimited frames, following a task until it has ended. Belongs to the io thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/call.h"
#include "api/logs/log_lines.h"
#include "http/message.h"
#include "model/ids.h"

namespace det::api {

// Whose log it is.
struct LoggedTask {
  std::string id;
  std::int64_t number = 0;
  std::optional<model::TrialId> trial;  // of a trial's
};

// Appends one line's message.
using LineForm = std::function<void(std::string& out, const store::NumberedLine&)>;

// Streams the lines that `request` asks for; with follow until the task has ended and no line is left. While the
// database is away a follower waits for it.
[[nodiscard]] http::Response log_response(ApiServices& services, LoggedTask task, LogRequest request, LineForm form);

// Streams which agents, containers, ranks, sources and stdtypes occur in the log; with follow again on each change.
[[nodiscard]] http::Response log_fields_response(ApiServices& services, LoggedTask task, bool follow);

}  // namespace det::api
