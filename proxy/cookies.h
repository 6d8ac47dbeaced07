#pragma once

// Cookies on their way through: ours never reach a task's program, and a program's never pass for ours. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace det::proxy {

inline constexpr std::string_view kLoginCookie = "auth";
inline constexpr std::string_view kProxyCookie = "det_proxy";

// The values of all cookies of that name: paths may give several.
[[nodiscard]] std::vector<std::string> cookies_of(const http::Request& request, std::string_view name);

// A Cookie header without ours; empty when nothing is left.
[[nodiscard]] std::string without_our_cookies(std::string_view header);

// A Set-Cookie header of a program, without its Domain: the cookie stays with the program's own host. Nothing when it
// would pass for one of ours, or when its name is empty (browsers send such a cookie's value where the name stands).
[[nodiscard]] std::optional<std::string> clean_set_cookie(std::string_view header);

}  // namespace det::proxy
