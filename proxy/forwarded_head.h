#pragma once

// Heads as they go on: a client's request to a task's program, the program's answer to the client. What belongs to one
// connection only is left out (RFC 9110, 7.6.1), what the program is told of the client is told by us, and what lets
// people in here stays here. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include "http/message.h"
#include "proxy/response_head.h"

namespace det::proxy {

// How a request's body ends, which the server has checked.
[[nodiscard]] BodyFraming body_of(const http::Request& request);
// Whether it asks for a websocket.
[[nodiscard]] bool wants_websocket(const http::Request& request);

struct RequestNotes {
  std::string target;          // as it is to be sent
  std::string fallback_host;   // where the request has no Host
  bool is_https = false;       // as the client sees it
  bool has_our_token = false;  // Authorization lets in here: it stays here
  bool may_continue = true;    // the client waits for "100 Continue"
};
// "GET /proxy/x/ HTTP/1.1\r\n...\r\n\r\n"
[[nodiscard]] std::string request_head(const http::Request& request, const RequestNotes& notes);

struct AnswerNotes {
  BodyFraming body;           // of the program's answer
  bool sends_chunks = false;  // to the client, whatever the program sent
  bool keep_alive = false;
  bool is_apis_origin = false;  // pages of tasks are no pages of ours
  std::string set_cookie = {};  // one of ours besides; empty: none
};
[[nodiscard]] std::string answer_head(const ResponseHead& head, const AnswerNotes& notes);
// Of 1xx, as they are but for what belongs to one connection. With `upgrade`, 101 of a websocket.
[[nodiscard]] std::string interim_head(const ResponseHead& head, bool upgrade);

}  // namespace det::proxy
