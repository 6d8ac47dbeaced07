#pragma once

// One request of a client and its answer from a task's program, or the websocket that the two turn their connections
// into. Bodies pass as they come, with no limit and nothing kept: who does not read holds up who writes. Belongs to the
// io thread.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "http/takeover.h"
#include "proxy/body_relay.h"
#include "proxy/forwarded_head.h"
#include "proxy/pod_connection.h"
#include "proxy/rights.h"
#include "proxy/watch.h"

namespace det::proxy {

// How long a connection may be silent before it is given up.
struct Patience {
  std::chrono::seconds client_body{60};                    // of a client that owes bytes of its body
  std::chrono::seconds reader{300};                        // of who does not read what is sent
  std::chrono::seconds answer{3600};                       // of a program that owes bytes of its answer
  std::chrono::seconds after_client_end{30};               // of the answer to a client that sends no more
  std::chrono::seconds websocket{std::chrono::hours(24)};  // of a websocket
  std::chrono::seconds closing{5};                         // of who was told that a tunnel ends
};

// What all exchanges share. Buffers are used between two waits only, so one is enough for all.
struct Shared {
  Clock& clock;
  Watch& watch;
  PodConnections& pods;
  Rights& rights;
  Patience patience = {};
  std::string in = std::string(std::size_t{128} << 10, '\0');
  std::string out = {};
};

// A request that was let in.
struct Passage {
  store::ProxyService service;
  std::string target;  // as it is to be sent
  bool is_https = false;
  bool has_our_token = false;
  bool is_apis_origin = false;
  std::string set_cookie;              // lets the browser in the next time; empty: none
  std::string account;                 // whom its connection counts for
  std::optional<Ground> ground;        // what it was let in by, where that may end before the task does
  std::function<void()> note_request;  // somebody uses the service
};

// Carries it. `request` is given up where a websocket begins.
Task<http::TakeoverEnd> run_exchange(Shared& shared, Passage passage, http::Request& request,
                                     http::ClientStream& client);

}  // namespace det::proxy
