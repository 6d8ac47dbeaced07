#pragma once

// The OpenID Connect provider that people sign in with, as a client of it: what it publishes about itself, the keys it
// signs with, and what it says of somebody for a code. All of it bounded in bytes and time; what it sends is read on a
// pool. Belongs to the io thread; all that it is given outlives it.

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <boost/asio/thread_pool.hpp>
#include <nlohmann/json.hpp>

#include "api/oidc/shared_read.h"
#include "api/oidc/sign_in_state.h"
#include "base/bounded_map.h"
#include "base/http_client.h"
#include "base/jws.h"
#include "base/log.h"
#include "base/turns.h"
#include "model/access/id_token.h"
#include "model/cluster/oidc_config.h"
#include "wire/cluster.h"

namespace det::api {

// Of the discovery document (OpenID Connect Discovery 1.0).
struct ProviderEndpoints {
  std::string issuer;
  std::string authorization;
  std::string token;
  std::string keys;
  std::string userinfo;       // empty: it has none
  bool takes_header = true;   // client_secret_basic; else client_secret_post
  bool names_itself = false;  // its answers say `iss` (RFC 9207)

  bool operator==(const ProviderEndpoints&) const = default;
};

// kUnavailable says what of the document does not do.
[[nodiscard]] Result<ProviderEndpoints> read_endpoints(std::string_view document, const model::OidcConfig& config);

// What a browser brings back from the provider, for the sign-in that it began.
struct BroughtCode {
  std::string code;
  std::string verifier;
  std::string nonce;
  WallTime begun_at;
};

class IdentityProvider {
 public:
  IdentityProvider(asio::any_io_executor executor, Clock& clock, HttpTransport& http, asio::thread_pool& workers,
                   model::OidcConfig config);

  [[nodiscard]] const model::OidcConfig& config() const { return config_; }
  [[nodiscard]] const SignInSeal& seal() const { return seal_; }
  // kUnavailable or kDeadlineExceeded when it does not answer as it should.
  Task<Result<std::shared_ptr<const ProviderEndpoints>>> endpoints();
  // Where a browser signs in. As endpoints().
  Task<Result<std::string>> authorization_url(std::string state, std::string nonce, std::string challenge);
  // Who has signed in, for a browser at `address`. kPermissionDenied when the provider does not take the code, or what
  // it says is not to be trusted; kResourceExhausted when too many ask at once; else as endpoints().
  Task<Result<model::RemotePerson>> person_of(BroughtCode brought, std::string address);
  // False when the sign-in of this id was ended here before.
  [[nodiscard]] bool use_once(const std::string& sign_in);

 private:
  class Asking;
  struct Tokens {
    std::string id;
    std::string access;
  };
  Task<Result<std::string>> fetch(HttpRequest request, std::size_t most, std::string what);
  [[nodiscard]] HttpRequest request_to(const std::string& url) const;
  Task<Result<Tokens>> exchange(const ProviderEndpoints& provider, const BroughtCode& brought);
  Task<Result<std::shared_ptr<const JwsKeys>>> keys(std::string url, std::chrono::seconds max_age);
  Task<Result<nlohmann::json>> verified_claims(const ProviderEndpoints& provider, std::string token,
                                               const BroughtCode& brought);
  Task<Result<nlohmann::json>> with_userinfo(const ProviderEndpoints& provider, std::string access_token,
                                             nlohmann::json claims);

  Clock& clock_;
  HttpTransport& http_;
  asio::thread_pool& workers_;
  model::OidcConfig config_;
  SignInSeal seal_;
  std::shared_ptr<const TlsConfig> tls_;
  SharedRead<ProviderEndpoints> endpoints_;
  SharedRead<JwsKeys> keys_;
  Turns turns_;
  std::unordered_map<std::string, std::size_t> asking_;  // by address
  BoundedMap<std::string, bool> used_;
};

// What clients are told of it; empty where there is none.
[[nodiscard]] std::vector<wire::SignInProvider> sign_in_providers(const model::OidcConfig& config);

}  // namespace det::api
