#pragma once

// One request on its way to a handler: the request, who asks, and the type of a handler. Belongs to the io thread.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/services.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"
#include "model/access/grants.h"
#include "store/trials/allocation_store.h"
#include "store/users/user_store.h"
#include "wire/forms.h"

namespace det::api {

enum class TokenKind : std::uint8_t {
  kNone,         // of routes without authentication
  kLogin,        // a person's session
  kTaskUser,     // DET_USER_TOKEN: what the owner may, but for users, passwords, tokens, roles and policies
  kTaskSession,  // DET_SESSION_TOKEN: reports for its own run, and reads what a harness needs
};

// The run a task's token was made for; the token ends with it.
struct OwnRun {
  std::string allocation_id;
  std::string task_id;
  std::optional<model::TrialId> trial;
  std::optional<model::ExperimentId> experiment;
};

// Whom a token stands for. A task's tokens stand for the task's owner, within the limits of their kind.
struct Identity {
  store::UserRow user;
  TokenKind kind = TokenKind::kNone;
  std::optional<OwnRun> run;                      // of a task's tokens
  std::optional<std::int64_t> access_token = {};  // the number of the one that was shown instead of a login
  // What roles permit the user; null where they do not rule: then owners may, and admins.
  std::shared_ptr<const model::Grants> grants = {};
};
// Nobody changes it: all requests with one token share what is remembered of it.
using SharedIdentity = std::shared_ptr<const Identity>;

// Whom and what the audit log is to name.
struct AuditNote {
  SharedIdentity caller;  // null while it is not known
  std::string user;       // where there is no caller: the name that was tried
  std::string object;     // where the path does not name it
  std::string reason;     // of handlers that answer with a page when something is wrong
};

struct Call {
  const http::Request& request;  // lives until the answer is sent
  SharedIdentity identity;       // never null
  const Identity& caller;        // the same; of routes that need no token: nobody, with user id 0
  AuditNote& note;               // as long as the request
};

// Handlers are plain functions; an Error becomes an answer in api/error_response.cc only.
using HandlerFn = Task<Result<http::Response>> (*)(ApiServices& services, Call call);

[[nodiscard]] inline http::Response ok(const wire::Json& json) {
  return http::Response::json(wire::dump(json));
}
[[nodiscard]] inline http::Response ok() {
  return http::Response::json("{}");
}

}  // namespace det::api
