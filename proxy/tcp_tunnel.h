#pragma once

// A program that speaks no HTTP (sshd), reached through a websocket of ours: what comes in binary messages goes to it,
// what it says comes back in binary messages. Belongs to the io thread.

#include "http/takeover.h"
#include "proxy/exchange.h"

namespace det::proxy {

// Connects to the program first: 502 when it does not answer, 426 for a request that wants no websocket.
Task<http::TakeoverEnd> run_tcp_tunnel(Shared& shared, Passage passage, http::Request& request,
                                       http::ClientStream& client);

}  // namespace det::proxy
