#pragma once

// What a request tells of the browser that sent it, and answers for browsers. Pure.

#include <string>
#include <string_view>

#include "http/message.h"

namespace det::proxy {

// Whether a browser may have sent it, for a page that it shows or for one that it is about to show. When in doubt: yes.
[[nodiscard]] bool is_browser(const http::Request& request);
// Whether the answer becomes a page of its own, rather than a part of another one.
[[nodiscard]] bool is_navigation(const http::Request& request);
// Whether no page of another origin sent it; one may navigate here, though, by a link.
[[nodiscard]] bool is_own_page(const http::Request& request);

// "http://localhost:8080"
[[nodiscard]] std::string own_origin(const http::Request& request, bool is_https);
// Of "/proxy/x/a/b?c": "a/b?c".
[[nodiscard]] std::string rest_of(std::string_view target);

}  // namespace det::proxy
