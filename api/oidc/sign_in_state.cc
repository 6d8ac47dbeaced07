#include "api/oidc/sign_in_state.h"

#include <algorithm>
#include <cstdint>

#include <openssl/evp.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/encoding.h"
#include "base/json_get.h"
#include "http/target.h"

namespace det::api {
namespace {

using nlohmann::json;

constexpr std::size_t kBrowserBytes = 32;
constexpr std::size_t kBrowserLength = 43;  // of so many bytes in base64
constexpr std::size_t kIdBytes = 16;
constexpr std::size_t kLongestState = 4096;
constexpr std::size_t kKeyBytes = 32;
constexpr std::string_view kSalt = "det-operator sign-in 1";
// scrypt (RFC 7914): 32 MiB.
constexpr std::uint64_t kScryptCost = 1U << 15;
constexpr std::uint64_t kScryptBlock = 8;
constexpr std::uint64_t kScryptMemory = std::uint64_t{64} << 20;

std::unexpected<Error> not_this_one(const char* why) {
  return fail(ErrorCode::kPermissionDenied, std::string("This sign-in was not begun in this browser: ") + why);
}

// A path that no browser reads as an address: those take a backslash for a slash and leave out line ends and tabs.
bool is_own_path(std::string_view text) {
  const auto fits = [](char c) { return c > 0x20 && c < 0x7f && c != '\\'; };
  return text.starts_with('/') && !text.starts_with("//") && text.size() <= kLongestRelay &&
         std::ranges::all_of(text, fits);
}

std::string key_of(std::string_view secret) {
  if (secret.empty()) return random_token(kKeyBytes);
  std::string key(kKeyBytes, '\0');
  const auto* const salt = reinterpret_cast<const unsigned char*>(kSalt.data());
  const int ok = EVP_PBE_scrypt(secret.data(), secret.size(), salt, kSalt.size(), kScryptCost, kScryptBlock, 1,
                                kScryptMemory, reinterpret_cast<unsigned char*>(key.data()), key.size());
  DET_CHECK(ok == 1, "OpenSSL has scrypt");
  return key;
}

}  // namespace

SignInSeal::SignInSeal(std::string_view client_secret) : key_(key_of(client_secret)) {}

std::string SignInSeal::new_browser() {
  return random_token(kBrowserBytes);
}

bool SignInSeal::is_browser(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  return text.size() == kBrowserLength && std::ranges::all_of(text, fits);
}

std::string SignInSeal::made_of(std::string_view what, std::string_view browser, std::string_view payload) const {
  // None of the three has a dot.
  return hmac_sha256_hex(key_, std::string(what) + "." + std::string(browser) + "." + std::string(payload));
}

std::string SignInSeal::seal(std::string_view browser, std::string_view relay, WallTime now) const {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const json content = {{"id", random_token(kIdBytes)}, {"at", seconds}, {"to", relay}};
  const std::string payload = base64url_encode(content.dump());
  return payload + "." + made_of("state", browser, payload);
}

Result<SignIn> SignInSeal::open(std::string_view state, std::string_view browser, WallTime now) const {
  if (!is_browser(browser)) return not_this_one("it has no cookie of it. Cookies must be allowed.");
  const auto dot = state.find('.');
  if (state.size() > kLongestState || dot == std::string_view::npos) return not_this_one("its state is not ours.");
  const std::string payload(state.substr(0, dot));
  if (!is_same_secret(state.substr(dot + 1), made_of("state", browser, payload))) {
    return not_this_one("its state is not that of the cookie.");
  }
  const auto text = base64_decode(payload);
  const json content = text ? json::parse(*text, nullptr, false) : json();
  SignIn sign_in{.id = get_string(content, "id"),
                 .relay = get_string(content, "to"),
                 .begun_at = WallTime(std::chrono::seconds(get_integer(content, "at"))),
                 .nonce = made_of("nonce", browser, payload),
                 .verifier = made_of("verifier", browser, payload)};
  if (now - sign_in.begun_at > kSignInPatience) {
    return fail(ErrorCode::kPermissionDenied, "This sign-in was begun more than ten minutes ago.");
  }
  return sign_in;
}

std::string code_challenge(const std::string& verifier) {
  return base64url_encode(hex_decode(sha256_hex(verifier)).value_or(""));
}

std::string relay_of(std::string_view wish) {
  if (wish == "cli" || wish == "cli=true") return "cli";  // the second of command lines before 0.26.5
  if (is_own_path(wish)) return std::string(wish);
  // Upstream's pages hand on their own query.
  const auto query = http::parse_target("/?" + std::string(wish));
  if (!query) return {};
  const std::string_view path = query->query.get("redirect");
  return is_own_path(path) ? std::string(path) : std::string();
}

}  // namespace det::api
