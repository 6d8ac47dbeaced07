#pragma once

// The bytes of a response's head and of chunk frames. Pure.

#include <cstddef>
#include <string>
#include <string_view>

#include "http/message.h"

namespace det::http {

enum class Framing : std::uint8_t {
  kLength,   // Content-Length: the body's size
  kChunked,  // Transfer-Encoding: chunked
  kUntilClose,
};

// "HTTP/1.1 200 OK\r\n...\r\n\r\n". Header fields whose name or value holds a line break are left out: nothing a user
// wrote may start a header of its own.
[[nodiscard]] std::string response_head(const Response& response, Framing framing, bool keep_alive);

// The line before a chunk's bytes; a chunk ends with "\r\n", the stream with "0\r\n\r\n".
[[nodiscard]] std::string chunk_head(std::size_t bytes);

// "Not Found"; "Status" for numbers without a name.
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace det::http
