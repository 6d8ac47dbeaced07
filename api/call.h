#pragma once

// One request on its way to a handler: the request, who asks, and the type of a handler. Belongs to the io thread.

#include <optional>
#include <string>

#include "api/services.h"
#include "base/result.h"
#include "base/task.h"
#include "http/message.h"
#include "store/allocation_store.h"
#include "store/user_store.h"
#include "wire/forms.h"

namespace det::api {

// Whom a token stands for. A task's token acts as the task's owner.
struct Identity {
  store::UserRow user;
  std::optional<std::string> allocation_id;
};

struct Call {
  const http::Request& request;  // lives until the answer is sent
  Identity caller;               // of routes without authentication: nobody, with user id 0
};

// Handlers are plain functions; an Error becomes an answer in api/error_response.cc only.
using HandlerFn = Task<Result<http::Response>> (*)(Services& services, Call call);

[[nodiscard]] inline http::Response ok(const wire::Json& json) {
  return http::Response::json(wire::dump(json));
}
[[nodiscard]] inline http::Response ok() {
  return http::Response::json("{}");
}

}  // namespace det::api
