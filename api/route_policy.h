#pragma once

// What the table of routes says of each route: who may call it, whose object it touches, how it answers, and how much
// it takes, and what the audit log calls it. The tables (api/*/routes.cc) are the policy, api/authorize.h enforces it.
// No column has a default. Pure.

#include <cstddef>
#include <cstdint>

#include "api/call.h"
#include "http/takeover.h"
#include "model/access/permissions.h"

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
  kModel,        // {name}: of the registry
  kUser,         // {id}
  kWorkspace,    // {id}
  kProject,      // {id}: its owner's, and its workspace's owner's
  kCheckpoint,   // {uuid}: of what has roles only, and of nobody
  kNamedInBody,  // the body says which: the handler asks check_task() of api/authorize.h
};

// Of routes that no one permission is for.
enum class Exempt : std::uint8_t {
  kFree,         // everybody may
  kHandlerAsks,  // the handler asks (api/access_check.h): the query or the body says what it is about, or it is a list
};

// What it takes where roles rule (security.authz.type: rbac), in place of what Who says of owners and admins: a
// permission in the workspace of the object that Whose finds, or everywhere where that is nobody's. Of {id} of kUser:
// the permission, unless it is the caller.
struct Needs {
  consteval Needs(model::Permission permission) : is_exempt(false), permission(permission) {}
  consteval Needs(Exempt) {}

  bool is_exempt = true;
  model::Permission permission = {};
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
  kAnswer = 2 << 20,   // of a custom search's runner: it stays in the search's log, which is read again and again
  kReport = 8 << 20,
  kFiles = 32 << 20,  // names and sizes of a checkpoint's files, of which sharded ones have many
  kLogs = 32 << 20,
  kUpload = std::size_t{168} << 20,  // 96 MiB of files as base64, and the JSON around them
};

// What the audit log calls it; kNoEvent of those that only read, and of a task's own reports: only who is refused is
// told of.
using AuditAction = const char*;
inline constexpr AuditAction kNoEvent = "";

struct RoutePolicy {
  consteval RoutePolicy(Who who, Whose whose, Needs needs, Manner manner, Limit limit, AuditAction action)
      : who(who), whose(whose), needs(needs), manner(manner), limit(limit), action(action) {}

  Who who;
  Whose whose;
  Needs needs;
  Manner manner;
  Limit limit;
  AuditAction action;
};

// Of a route that turns its connection into something else.
using TakeoverFn = Task<Result<http::TakeoverEnd>> (*)(ApiServices& services, Call call, http::ClientStream& client);

struct RouteEntry {
  consteval RouteEntry(const char* method, const char* pattern, Who who, Whose whose, Needs needs, Manner manner,
                       Limit limit, AuditAction action, HandlerFn handler)
      : method(method), pattern(pattern), policy(who, whose, needs, manner, limit, action), handler(handler) {}
  consteval RouteEntry(const char* method, const char* pattern, Who who, Whose whose, Needs needs, Manner manner,
                       Limit limit, AuditAction action, TakeoverFn takeover)
      : method(method), pattern(pattern), policy(who, whose, needs, manner, limit, action), takeover(takeover) {}

  const char* method;
  const char* pattern;
  RoutePolicy policy;
  HandlerFn handler = nullptr;
  TakeoverFn takeover = nullptr;  // instead of a handler
};

}  // namespace det::api
