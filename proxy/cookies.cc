#include "proxy/cookies.h"

#include "proxy/response_head.h"

namespace det::proxy {
namespace {

// Calls `each` with the trimmed parts between semicolons.
template <typename Each>
void split(std::string_view text, Each each) {
  while (!text.empty()) {
    const auto end = text.find(';');
    each(trimmed(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

std::string_view name_of(std::string_view pair) {
  const auto equals = pair.find('=');
  return equals == std::string_view::npos ? std::string_view() : trimmed(pair.substr(0, equals));
}

// As api/oidc/sign_on.cc calls them, which this folder does not see.
constexpr std::string_view kSignInCookie = "det_sign_in";
constexpr std::string_view kHostSignInCookie = "__Host-det_sign_in";

bool is_ours(std::string_view name) {
  return is_same_name(name, kLoginCookie) || is_same_name(name, kProxyCookie) || is_same_name(name, kSignInCookie) ||
         is_same_name(name, kHostSignInCookie);
}

}  // namespace

std::vector<std::string> cookies_of(const http::Request& request, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [field, header] : request.headers.fields()) {
    if (!is_same_name(field, "Cookie")) continue;
    split(header, [&](std::string_view pair) {
      if (name_of(pair) == name) values.emplace_back(trimmed(pair.substr(pair.find('=') + 1)));
    });
  }
  return values;
}

std::string without_our_cookies(std::string_view header) {
  std::string left;
  split(header, [&](std::string_view pair) {
    if (pair.empty() || is_ours(name_of(pair)) || is_ours(pair)) return;
    left.append(left.empty() ? "" : "; ").append(pair);
  });
  return left;
}

std::optional<std::string> clean_set_cookie(std::string_view header) {
  std::string clean;
  bool is_first = true;
  bool is_good = true;
  split(header, [&](std::string_view part) {
    if (is_first) {
      is_first = false;
      const std::string_view name = name_of(part);
      is_good = !name.empty() && !is_ours(name);
      clean = part;
      return;
    }
    const std::string_view attribute = part.substr(0, part.find('='));
    if (part.empty() || is_same_name(trimmed(attribute), "Domain")) return;
    clean.append("; ").append(part);
  });
  if (is_first || !is_good) return std::nullopt;
  return clean;
}

}  // namespace det::proxy
