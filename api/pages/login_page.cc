// Where the proxy sends browsers that are not logged in.

#include "api/oidc/identity_provider.h"
#include "api/oidc/sign_in_state.h"
#include "api/pages/html.h"
#include "api/pages/routes.h"
#include "api/pages/upstream_pages.h"
#include "http/target.h"

namespace det::api::routes {

namespace {

constexpr const char* kForm =
    "<form id=\"login\" method=\"post\"><label for=\"username\">Username</label><input id=\"username\" "
    "autocomplete=\"username\" autocapitalize=\"none\" autofocus required><label "
    "for=\"password\">Password</label><input "
    "id=\"password\" type=\"password\" autocomplete=\"current-password\"><button>Log in</button><p id=\"error\" "
    "role=\"alert\"></p></form><noscript>Logging in needs JavaScript.</noscript>";

// Goes on to a path of this server only: who follows a link to the login must not end up elsewhere.
constexpr const char* kScript = R"js("use strict";
const form = document.getElementById("login");
const error = document.getElementById("error");

function target() {
  const wish = new URLSearchParams(location.search).get("redirect") || "/";
  try {
    const url = new URL(wish, location.origin);
    const ours = wish.startsWith("/") && url.origin === location.origin;
    return ours ? url.href : "/";
  } catch {
    return "/";
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  error.textContent = "";
  form.querySelector("button").disabled = true;
  const login = { username: document.getElementById("username").value, password: document.getElementById("password").value };
  try {
    const answer = await fetch("/api/v1/auth/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(login),
    });
    if (answer.ok) {
      location.replace(target());
      return;
    }
    const said = await answer.json().catch(() => ({}));
    error.textContent = said.error?.error || said.message || "The server answered " + answer.status + ".";
  } catch {
    error.textContent = "The server cannot be reached.";
  }
  form.querySelector("button").disabled = false;
});
)js";

}  // namespace

Task<Result<http::Response>> login_page(ApiServices& services, Call call) {
  const model::OidcConfig& config = services.identity_provider.config();
  // Of Determined's own pages this is one; whoever is sent here to come back elsewhere gets the form below.
  if (services.upstream_pages != nullptr && !call.request.query.has("redirect") &&
      !(config.enabled && config.always_redirect && call.request.query.get("hard_logout") != "true")) {
    co_return upstream_page(*services.upstream_pages, call.request, "login");
  }
  // Who logs in for something else than the web page says so in the query.
  if (services.page != nullptr && call.request.query.empty() && !(config.enabled && config.always_redirect)) {
    co_return to_page(call.request, "sign-in");
  }
  std::string body = kForm;
  if (config.enabled) {
    const std::string relay = relay_of(call.request.query.get("redirect"));
    const std::string url =
        config.sign_in_url() + (relay.empty() ? "" : "?relayState=" + http::encode_component(relay));
    // Whoever logged out on purpose, and admins with a password, ask for the form.
    if (config.always_redirect && call.request.query.get("hard_logout") != "true") {
      co_return http::Response::see_other(url);
    }
    body += "<p><a href=\"" + html_text(url) + "\">Sign in with " + html_text(config.provider) + "</a></p>";
  }
  co_return page_response(
      {.title = "Log in", .body = std::move(body), .script = "/det/login.js", .refresh_seconds = 0});
}

Task<Result<http::Response>> login_script(ApiServices& services, Call call) {
  static_cast<void>(services);
  static_cast<void>(call);
  http::Response response;
  response.body = kScript;
  response.headers.add("Content-Type", "text/javascript; charset=utf-8");
  response.headers.add("X-Content-Type-Options", "nosniff");
  co_return response;
}

}  // namespace det::api::routes
