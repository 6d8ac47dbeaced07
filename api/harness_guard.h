#pragma once

// Harnesses give up on a 5xx but try a lost connection twenty times: on their routes a request waits while the database
// is away, and is dropped when it stays away. Belongs to the io thread.

#include <chrono>
#include <functional>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"

namespace det::api {

struct GuardOptions {
  std::chrono::nanoseconds patience = std::chrono::seconds(30);
  std::chrono::nanoseconds pause = std::chrono::milliseconds(500);
};

// Runs `attempt` until it gives something else than "away or busy", or patience is over. Errors that would be a 5xx
// become a dropped connection, all others come back.
Task<Result<http::Response>> guard_harness(Clock& clock, Logger log, GuardOptions options,
                                           std::function<Task<Result<http::Response>>()> attempt);

}  // namespace det::api
