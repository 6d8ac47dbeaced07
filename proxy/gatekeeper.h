#pragma once

// Who may reach which service, and under which origin. On the API's origin only programs are served, which show a token
// or need none; a browser is sent to the task's own origin with a ticket that is good once, for half a minute and for
// that service, and exchanged there for a cookie. Whether the login behind a cookie is still good is asked with each
// request (and remembered for seconds by who answers), and again while its connection lasts (proxy/rights.h). Belongs
// to the io thread; what it is given outlives it.

#include <expected>
#include <functional>
#include <string>

#include "base/clock.h"
#include "http/message.h"
#include "model/ids.h"
#include "proxy/exchange.h"
#include "proxy/seals.h"
#include "proxy/services.h"
#include "proxy/task_origins.h"

namespace det::proxy {

// Whom a token stands for.
struct Visitor {
  model::UserId user;
  bool is_admin = false;
  bool is_login = false;    // a person's session, not a token of a task
  bool is_session = false;  // DET_SESSION_TOKEN, which is for reports only
  bool may_look = true;     // at the task; where roles rule it takes one
};
// By the SHA-256 of the token, for this task. kUnauthenticated: nobody's; kPermissionDenied: of a user who was switched
// off.
using LookUp = std::function<Task<Result<Visitor>>(std::string token_hash, std::string task_id)>;

// The way in, or the answer instead.
using Admission = std::expected<Passage, http::Response>;

class Gatekeeper {
 public:
  Gatekeeper(Clock& clock, Services& services, store::ServiceStore& store, const TaskOrigins& origins, LookUp look_up);

  // What tickets and cookies are signed with; before, browsers are told to come back.
  void set_key(std::string key) { seals_.emplace(std::move(key)); }

  // Requests for "/proxy/{service}/..." on the API's origin, and on that of a task.
  Task<Admission> admit_to_api(const http::Request& request);
  Task<Admission> admit_to_task(const http::Request& request);
  // Whether who was let in by it would be again, as Rights::Ask.
  Task<Result<bool>> still_holds(Ground ground);

 private:
  // A request, the service it is for, and what it shows.
  struct Caller;

  Task<std::expected<Caller, http::Response>> meet(const http::Request& request);
  Task<Result<bool>> may(const store::ProxyService& service, std::string token_hash, bool only_logins,
                         std::string* account);
  Task<std::expected<bool, http::Response>> has_right_header(Caller& caller);
  Task<Admission> send_to_task(Caller caller);
  Task<Admission> send_to_login(const Caller& caller);
  Task<Admission> exchange_ticket(Caller caller, std::string ticket);
  Admission let_in_by_token(Caller caller) const;
  Task<std::expected<bool, http::Response>> has_right_cookie(Caller& caller);
  [[nodiscard]] std::optional<http::Response> foreign_page(const Caller& caller) const;
  [[nodiscard]] http::Response no_entry(const Caller& caller) const;
  [[nodiscard]] std::string cookie_of(const Caller& caller, Seal seal) const;

  Clock& clock_;
  Services& services_;
  store::ServiceStore& store_;
  const TaskOrigins& origins_;
  LookUp look_up_;
  std::optional<Seals> seals_;
};

// `target` without the parameter of that name.
[[nodiscard]] std::string without_parameter(std::string_view target, std::string_view name);

}  // namespace det::proxy
