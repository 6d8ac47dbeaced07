#pragma once

// Notices that a client has closed its connection while nobody reads from it. A detail of http/session.cc.

#include <boost/asio/ip/tcp.hpp>

#include "base/task.h"

namespace det::http {

// Returns when the peer has closed or reset the connection, or the socket was closed here. Consumes no byte.
Task<void> wait_until_gone(asio::ip::tcp::socket& socket);

}  // namespace det::http
