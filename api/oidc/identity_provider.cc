#include "api/oidc/identity_provider.h"

#include <algorithm>
#include <utility>

#include "base/encoding.h"
#include "base/guarded_work.h"
#include "base/json_depth.h"
#include "base/json_get.h"
#include "http/target.h"

namespace det::api {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kPatience{10};  // for one answer
constexpr std::size_t kMostOfDocument = std::size_t{256} << 10;
constexpr std::size_t kMostOfKeys = std::size_t{512} << 10;
constexpr std::size_t kMostOfTokens = std::size_t{256} << 10;
constexpr std::size_t kMostOfClaims = std::size_t{256} << 10;
constexpr int kDeepest = 16;
constexpr std::size_t kLongestUrl = 2048;
constexpr std::size_t kLongestCode = 4096;
constexpr std::size_t kLongestToken = std::size_t{64} << 10;
constexpr std::size_t kAtOnce = 4;  // as many as there are connections
constexpr std::size_t kMostAsking = 128;
constexpr std::size_t kMostOfAddress = 32;
constexpr std::size_t kRemembered = 10'000;  // sign-ins that ended
// Providers change keys in days. One that is not known is looked for at once, but not for everybody who makes one up.
constexpr std::chrono::seconds kGoodFor = std::chrono::hours{1};
constexpr std::chrono::seconds kBetweenUnknownKeys{30};

std::unexpected<Error> odd(const std::string& what) {
  return fail(ErrorCode::kUnavailable, "the sign-in provider " + what);
}

json object_of(std::string_view text) {
  if (is_nested_deeper(text, kDeepest)) return json();
  json parsed = json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : json();
}

bool is_visible_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > 0x20 && c < 0x7f; });
}

bool is_endpoint(const std::string& url) {
  return url.size() <= kLongestUrl && is_visible_ascii(url) && !url.contains('#') && model::is_safe_url(url);
}

std::string without_slash(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url;
}

bool has_word(const json& words, std::string_view word) {
  return words.is_array() && std::ranges::find(words, json(word)) != words.end();
}

std::string form(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string text;
  for (const auto& [name, value] : fields) {
    text += (text.empty() ? "" : "&") + name + "=" + http::encode_component(value);
  }
  return text;
}

// Of a name or a secret between which a colon stands (RFC 6749, section 2.3.1).
std::string without_colons(const std::string& text) {
  std::string out;
  for (const char c : http::encode_component(text)) c == ':' ? out += "%3A" : out += c;
  return out;
}

// An error code of OAuth, for people; anything else that it might be is left out.
std::string error_word(const json& answer) {
  const std::string word = get_string(answer, "error");
  const bool is_word = !word.empty() && word.size() <= 64 &&
                       std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
  return is_word ? " (" + word + ")" : "";
}

}  // namespace

Result<ProviderEndpoints> read_endpoints(std::string_view text, const model::OidcConfig& config) {
  const json document = object_of(text);
  if (document.is_null()) return odd("describes itself in no JSON object");
  ProviderEndpoints found;
  found.issuer = get_string(document, "issuer");
  // What another one published must not stand for this one.
  if (without_slash(found.issuer) != without_slash(config.issuer)) {
    return odd("calls itself another name than oidc.idp_sso_url: write idp_sso_url as it has its issuer");
  }
  found.authorization = get_string(document, "authorization_endpoint");
  found.token = get_string(document, "token_endpoint");
  found.keys = get_string(document, "jwks_uri");
  found.userinfo = get_string(document, "userinfo_endpoint");
  for (const auto& [name, url] : {std::pair("authorization_endpoint", &found.authorization),
                                  std::pair("token_endpoint", &found.token), std::pair("jwks_uri", &found.keys)}) {
    if (!is_endpoint(*url)) return odd(std::string("has no ") + name + " that begins with https://");
  }
  if (!found.userinfo.empty() && !is_endpoint(found.userinfo)) found.userinfo.clear();
  const json& methods = get_any(document, "token_endpoint_auth_methods_supported");
  found.takes_header = methods.is_null() || has_word(methods, "client_secret_basic");
  if (!found.takes_header && !has_word(methods, "client_secret_post")) {
    return odd("takes no client secret: neither client_secret_basic nor client_secret_post");
  }
  found.names_itself = get_bool(document, "authorization_response_iss_parameter_supported");
  return found;
}

IdentityProvider::IdentityProvider(asio::any_io_executor executor, Clock& clock, HttpTransport& http,
                                   asio::thread_pool& workers, model::OidcConfig config)
    : clock_(clock),
      http_(http),
      workers_(workers),
      config_(std::move(config)),
      seal_(config_.enabled ? config_.client_secret : ""),
      tls_(std::make_shared<const TlsConfig>(TlsConfig{.ca_pem = config_.ca_pem})),
      endpoints_(executor, clock),
      keys_(executor, clock),
      turns_(kAtOnce),
      used_(kRemembered) {}

bool IdentityProvider::use_once(const std::string& sign_in) {
  if (used_.find(sign_in) != nullptr) return false;
  used_.put(sign_in, true);
  return true;
}

HttpRequest IdentityProvider::request_to(const std::string& url) const {
  HttpRequest request;
  request.url = url;
  request.headers = {{"Accept", "application/json"}};
  request.timeout = kPatience;
  if (url.starts_with("https://")) request.tls = tls_;
  return request;
}

// The body of a 200.
Task<Result<std::string>> IdentityProvider::fetch(HttpRequest request, std::size_t most, std::string what) {
  request.max_answer = most;
  auto answer = co_await http_.send(std::move(request));
  if (!answer) co_return odd("does not give " + what + ": " + answer.error().message);
  if (answer->status != 200) co_return odd("answers " + std::to_string(answer->status) + " for " + what);
  co_return std::move(answer->body);
}

Task<Result<std::shared_ptr<const ProviderEndpoints>>> IdentityProvider::endpoints() {
  auto read = [this]() -> Task<Result<ProviderEndpoints>> {
    auto request = request_to(without_slash(config_.issuer) + "/.well-known/openid-configuration");
    auto text = co_await fetch(std::move(request), kMostOfDocument, "its description");
    DET_CO_TRY(text);
    co_return co_await run_guarded(workers_, [text = *std::move(text), this] { return read_endpoints(text, config_); });
  };
  co_return co_await endpoints_.get(std::move(read), kGoodFor);
}

Task<Result<std::shared_ptr<const JwsKeys>>> IdentityProvider::keys(std::string url, std::chrono::seconds max_age) {
  auto read = [this, url]() -> Task<Result<JwsKeys>> {
    auto text = co_await fetch(request_to(url), kMostOfKeys, "its keys");
    DET_CO_TRY(text);
    auto keys = co_await run_guarded(workers_, [text = *std::move(text)] { return JwsKeys::parse(text); });
    if (!keys) co_return odd("publishes keys that cannot be read: " + keys.error().message);
    co_return keys;
  };
  co_return co_await keys_.get(std::move(read), max_age);
}

Task<Result<std::string>> IdentityProvider::authorization_url(std::string state, std::string nonce,
                                                              std::string challenge) {
  const auto provider = co_await endpoints();
  DET_CO_TRY(provider);
  const std::string scope = config_.asks_for_groups ? "openid profile email groups" : "openid profile email";
  const std::string& url = (*provider)->authorization;
  co_return url + (url.contains('?') ? "&" : "?") +
      form({{"response_type", "code"},
            {"client_id", config_.client_id},
            {"redirect_uri", config_.callback_url()},
            {"scope", scope},
            {"state", std::move(state)},
            {"nonce", std::move(nonce)},
            {"code_challenge", std::move(challenge)},
            {"code_challenge_method", "S256"}});
}

Task<Result<IdentityProvider::Tokens>> IdentityProvider::exchange(const ProviderEndpoints& provider,
                                                                  const BroughtCode& brought) {
  HttpRequest request = request_to(provider.token);
  request.method = "POST";
  request.headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
  std::vector<std::pair<std::string, std::string>> fields = {{"grant_type", "authorization_code"},
                                                             {"code", brought.code},
                                                             {"redirect_uri", config_.callback_url()},
                                                             {"code_verifier", brought.verifier}};
  if (provider.takes_header) {
    const std::string both = without_colons(config_.client_id) + ":" + without_colons(config_.client_secret);
    request.headers.emplace_back("Authorization", "Basic " + base64_encode(both));
  } else {
    fields.emplace_back("client_id", config_.client_id);
    fields.emplace_back("client_secret", config_.client_secret);
  }
  request.body = form(fields);
  request.max_answer = kMostOfTokens;
  auto answer = co_await http_.send(std::move(request));
  if (!answer) co_return odd("does not give tokens: " + answer.error().message);
  auto work = [body = std::move(answer->body)] { return object_of(body); };
  const json body = co_await run_guarded(workers_, std::move(work));
  if (answer->status == 400 && get_string(body, "error") == "invalid_grant") {
    co_return fail(ErrorCode::kPermissionDenied,
                   "the sign-in provider does not take the code (invalid_grant): it is good once and for a short time; "
                   "if this goes on, ask whether you are assigned to this application");
  }
  if (answer->status != 200) {
    co_return odd("answers " + std::to_string(answer->status) + " for tokens" + error_word(body));
  }
  Tokens tokens{.id = get_string(body, "id_token"), .access = get_string(body, "access_token")};
  if (tokens.id.empty()) co_return odd("gives no id_token");
  co_return tokens;
}

Task<Result<json>> IdentityProvider::verified_claims(const ProviderEndpoints& provider, std::string token,
                                                     const BroughtCode& brought) {
  auto parsed = co_await run_guarded(workers_, [token = std::move(token)] { return parse_jws(token); });
  if (!parsed) co_return fail(ErrorCode::kPermissionDenied, parsed.error().message);
  auto known = co_await keys(provider.keys, kGoodFor);
  DET_CO_TRY(known);
  if (!(*known)->has_key_for(*parsed)) {
    known = co_await keys(provider.keys, kBetweenUnknownKeys);
    DET_CO_TRY(known);
  }
  const model::IdTokenRules rules{.issuer = provider.issuer,
                                  .client_id = config_.client_id,
                                  .nonce = brought.nonce,
                                  .begun_at = brought.begun_at,
                                  .now = clock_.wall_now()};
  auto work = [jws = *std::move(parsed), keys = *known, rules]() -> Result<json> {
    if (Status signed_it = keys->verify(jws); !signed_it) {
      return fail(ErrorCode::kPermissionDenied, signed_it.error().message);
    }
    json claims = object_of(jws.payload);
    DET_TRY(model::check_id_token(claims, rules));
    return claims;
  };
  co_return co_await run_guarded(workers_, std::move(work));
}

Task<Result<json>> IdentityProvider::with_userinfo(const ProviderEndpoints& provider, std::string access_token,
                                                   json claims) {
  const bool is_token = !access_token.empty() && access_token.size() <= kLongestToken && is_visible_ascii(access_token);
  if (!is_token || provider.userinfo.empty()) co_return claims;
  HttpRequest request = request_to(provider.userinfo);
  request.headers.emplace_back("Authorization", "Bearer " + access_token);
  auto text = co_await fetch(std::move(request), kMostOfClaims, "what it knows of somebody");
  DET_CO_TRY(text);
  auto work = [text = *std::move(text), claims = std::move(claims)]() mutable -> Result<json> {
    json more = object_of(text);
    if (get_string(more, "sub") != get_string(claims, "sub")) {
      return fail(ErrorCode::kPermissionDenied, "the sign-in provider speaks of two people: sub");
    }
    more.update(claims);  // what is signed counts
    return more;
  };
  co_return co_await run_guarded(workers_, std::move(work));
}

// Counts one while it lives.
class IdentityProvider::Asking {
 public:
  Asking(IdentityProvider& provider, std::string address) : provider_(provider), address_(std::move(address)) {
    ++provider_.asking_[address_];
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;
  ~Asking() {
    if (--provider_.asking_[address_] == 0) provider_.asking_.erase(address_);
  }

 private:
  IdentityProvider& provider_;
  std::string address_;
};

Task<Result<model::RemotePerson>> IdentityProvider::person_of(BroughtCode brought, std::string address) {
  if (brought.code.empty() || brought.code.size() > kLongestCode) {
    co_return fail(ErrorCode::kPermissionDenied, "the sign-in provider sent no code");
  }
  const auto before = asking_.find(address);
  const bool is_many = before != asking_.end() && before->second >= kMostOfAddress;
  if (is_many || turns_.waiting() + kAtOnce >= kMostAsking) {
    co_return fail(ErrorCode::kResourceExhausted, "too many sign in at once; try again");
  }
  const Asking asking(*this, address);
  const auto turn = co_await turns_.wait(address);
  const auto provider = co_await endpoints();
  DET_CO_TRY(provider);
  auto tokens = co_await exchange(**provider, brought);
  DET_CO_TRY(tokens);
  auto claims = co_await verified_claims(**provider, std::move(tokens->id), brought);
  DET_CO_TRY(claims);
  if (model::lacks_claims(*claims, config_)) {
    claims = co_await with_userinfo(**provider, std::move(tokens->access), *std::move(claims));
    DET_CO_TRY(claims);
  }
  co_return model::read_remote_person(*claims, config_);
}

std::vector<wire::SignInProvider> sign_in_providers(const model::OidcConfig& config) {
  if (!config.enabled) return {};
  return {{.name = config.provider,
           .url = config.sign_in_url(),
           .type = "OIDC",
           .always_redirect = config.always_redirect}};
}

}  // namespace det::api
