#pragma once

// What the table of routes says of each route: who may call it, whose object it touches, how it answers, and how much
// it takes, and what the audit log calls it. The tables (api/*/routes.cc) are the policy, api/authorize.h enforces it.
// No column has a default. Pure.

#include <cstddef>
#include <cstdint>

#include "api/call.h"

namespace det::api {

enum class Who : std::uint8_t {
  kAnyone,      // no token
  kAnyToken,    // any token; DET_SESSION_TOKEN only for what belongs to its own run, when the route is about an object
  kPeople,      // logins and DET_USER_TOKENs
  kOwner,       // of those, the object's owner and admins
  kItsTask,     // the tokens of the run that the object belongs to; of logins, the object's owner's and admins'
  kOwnerLogin,  // logins of the object's owner and of admins: no token of a task
  kAdminLogin,  // logins of admins
};

// Which object is meant by {id} (or {name}, {uuid}) of the pattern.
enum class Whose : std::uint8_t {
  kNobody,       // the route touches no object of somebody's, or only makes one of the caller's
  kExperiment,   // {id}
  kTrial,        // {id}
  kTask,         // {id}
  kAllocation,   // {id}
  kTemplate,     // {name}
  kUser,         // {id}
  kWorkspace,    // {id}
  kNamedInBody,  // the body says which: the handler asks check_task() of api/authorize.h
};

enum class Manner : std::uint8_t {
  kPlain,
  kHarness,  // waits for the database and never answers 5xx (api/harness_guard.h)
};

// The most bytes of a body.
enum class Limit : std::size_t {
  kNone = 1 << 10,     // of routes that read no body
  kLogin = 64 << 10,   // the caller is not known yet
  kSmall = 256 << 10,  // parsed on the io thread; all larger ones on a pool
  kText = 1 << 20,     // configurations; an Experiment object could not hold more
  kReport = 8 << 20,
  kLogs = 32 << 20,
  kUpload = std::size_t{168} << 20,  // 96 MiB of files as base64, and the JSON around them
};

// What the audit log calls it; kNoEvent of those that only read, and of a task's own reports: only who is refused is
// told of.
using AuditAction = const char*;
inline constexpr AuditAction kNoEvent = "";

struct RoutePolicy {
  consteval RoutePolicy(Who who, Whose whose, Manner manner, Limit limit, AuditAction action)
      : who(who), whose(whose), manner(manner), limit(limit), action(action) {}

  Who who;
  Whose whose;
  Manner manner;
  Limit limit;
  AuditAction action;
};

struct RouteEntry {
  consteval RouteEntry(const char* method, const char* pattern, Who who, Whose whose, Manner manner, Limit limit,
                       AuditAction action, HandlerFn handler)
      : method(method), pattern(pattern), policy(who, whose, manner, limit, action), handler(handler) {}

  const char* method;
  const char* pattern;
  RoutePolicy policy;
  HandlerFn handler;
};

}  // namespace det::api
