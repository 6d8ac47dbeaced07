#pragma once

// Long texts that live as long as the server, sent in pieces: many slow readers hold one piece each, not a copy of the
// whole.

#include <string_view>

#include "http/message.h"

namespace det::api {

[[nodiscard]] http::StreamBody stream_of(std::string_view text);

}  // namespace det::api
