#pragma once

// Two connections whose bytes go to each other until both have ended. Belongs to the io thread.

#include <functional>

#include "http/byte_stream.h"
#include "proxy/exchange.h"

namespace det::proxy {

// A websocket, byte for byte. Control frames of the client (a browser's answers to pings) are no use of the service;
// `note_request` hears of the others. Returns when both sides have ended or one is gone; both are closed then.
Task<void> run_tunnel(Shared& shared, http::ByteStream& client, http::ByteStream& program,
                      std::function<void()> note_request);

}  // namespace det::proxy
