#pragma once

// A file of a web page as an answer: in the form that the client takes, or 304 where it has it already. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "api/pages/web_file.h"
#include "http/message.h"

namespace det::api {

// `policy`: Content-Security-Policy. The file outlives the answer.
[[nodiscard]] http::Response file_response(const http::Request& request, const WebFile& file,
                                           const std::string& policy);

// The members of a list in a header field, without spaces and in lower case.
[[nodiscard]] std::vector<std::string> list_members(std::string_view field);

}  // namespace det::api
