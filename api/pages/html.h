#pragma once

// Small pages of the server itself. They load nothing from elsewhere, run only its own script, and no other page may
// frame them. Pure.

#include <string>
#include <string_view>

#include "http/message.h"

namespace det::api {

// For text between tags and in quoted attributes.
[[nodiscard]] std::string html_text(std::string_view text);

struct Page {
  std::string title;        // plain text
  std::string body;         // HTML
  std::string script;       // path of one of the server's own scripts; empty: none
  int refresh_seconds = 0;  // 0: it stays as it is
};
[[nodiscard]] http::Response page_response(const Page& page, int status = 200);

// What a page may do, as `policy` (Content-Security-Policy) has it, and that it tells nobody where it was.
void restrict_page(http::Response& response, const char* policy);

}  // namespace det::api
