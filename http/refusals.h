#pragma once

// What the server itself refuses, before a handler sees it. A detail of http/session.cc. Pure.

#include <cstddef>
#include <string>

#include <boost/beast/http/message.hpp>
#include <boost/system/error_code.hpp>

#include "http/message.h"

namespace det::http {

// {"message": ...}
[[nodiscard]] Response refusal(int status, std::string message);

// Of a head that could not be read; `head_limit` in bytes.
[[nodiscard]] Response refusal_of(const boost::system::error_code& ec, std::size_t head_limit);

// Of a body of more than `limit` bytes.
[[nodiscard]] Response too_large(std::size_t limit);

// Of what escaped a handler.
[[nodiscard]] Response internal_error();

// Whether the connection is gone, rather than what came over it wrong.
[[nodiscard]] bool is_lost_connection(const boost::system::error_code& ec);

// What two parties could take for two different messages; null when there is nothing of the kind. Beast itself refuses
// a Content-Length that is no number or comes twice with different values, and white space before a colon.
[[nodiscard]] const char* framing_mistake(const boost::beast::http::request_header<>& head);

}  // namespace det::http
