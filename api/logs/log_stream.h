#pragma once

// The bodies of log streams: newline-delimited frames, following a task until it has ended. Belongs to the io thread.

#include <functional>
#include <string>

#include "api/call.h"
#include "api/logs/log_lines.h"
#include "http/message.h"
#include "store/trials/trial_rows.h"

namespace det::api {

// Appends one line's message.
using LineForm = std::function<void(std::string& out, const store::NumberedLine&)>;

// Streams the lines that `request` asks for; with follow until the trial has ended and no line is left. While the
// database is away a follower waits for it.
[[nodiscard]] http::Response log_response(ApiServices& services, store::TrialRow trial, LogRequest request,
                                          LineForm form);

// Streams which agents, containers, ranks, sources and stdtypes occur in the log; with follow again on each change.
[[nodiscard]] http::Response log_fields_response(ApiServices& services, store::TrialRow trial, bool follow);

}  // namespace det::api
