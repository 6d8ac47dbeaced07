#pragma once

// What connects the two halves of a sign-in, between which the browser is with the provider. Nothing is kept on the
// server: the browser has a random text in a cookie, and the provider hands back a state that is sealed for this
// browser, by a key that all replicas make of the client's secret. From both come the nonce and the verifier (PKCE) of
// this sign-in, which neither shows: who sees the state cannot make a token that fits, nor use the code. Pure.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wall_time.h"

namespace det::api {

// How long somebody may take with the provider.
inline constexpr std::chrono::minutes kSignInPatience{10};
// The longest place to go on to, in bytes.
inline constexpr std::size_t kLongestRelay = 1024;

struct SignIn {
  std::string id;        // random; of one sign-in
  std::string relay;     // "cli", or a path of this server, or empty
  WallTime begun_at;     // whole seconds
  std::string nonce;     // that the provider's token must have
  std::string verifier;  // of the code (RFC 7636)
};

class SignInSeal {
 public:
  // Takes a tenth of a second: who has a state must not find a weak secret by trying. Of no secret comes a key that
  // nobody knows.
  explicit SignInSeal(std::string_view client_secret);

  // A random text for the cookie of a browser that has none.
  [[nodiscard]] static std::string new_browser();
  // Whether the text could be one.
  [[nodiscard]] static bool is_browser(std::string_view text);

  // The state of a sign-in that begins now.
  [[nodiscard]] std::string seal(std::string_view browser, std::string_view relay, WallTime now) const;
  // kPermissionDenied for a state that is not ours, of another browser, or older than kSignInPatience.
  [[nodiscard]] Result<SignIn> open(std::string_view state, std::string_view browser, WallTime now) const;

 private:
  [[nodiscard]] std::string made_of(std::string_view what, std::string_view browser, std::string_view payload) const;

  std::string key_;
};

// What goes with the browser to the provider for `verifier`: code_challenge, of method S256.
[[nodiscard]] std::string code_challenge(const std::string& verifier);

// Where a browser that asked for `wish` (relayState, or redirect of the page to log in) may go when it has signed in:
// "cli" for upstream's command line, a path of this server, or nothing. Whatever leads elsewhere is nothing.
[[nodiscard]] std::string relay_of(std::string_view wish);

}  // namespace det::api
