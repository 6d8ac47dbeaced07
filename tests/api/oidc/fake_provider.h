#pragma once

// An OpenID Connect provider in memory, as an HttpTransport: it describes itself, has somebody sign in, gives tokens
// for codes, once and to who has the code's verifier, and says more of people. Tests change what it says. Belongs to
// the io thread.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "api/oidc/sign_in_state.h"
#include "base/encoding.h"
#include "base/http_client.h"
#include "http/target.h"
#include "model/cluster/oidc_config.h"
#include "tests/support/fake_transport.h"
#include "tests/support/signing_key.h"

namespace det::api {

using nlohmann::json;

inline const test::SigningKey& provider_key() {
  static const test::SigningKey kKey = test::SigningKey::ec();
  return kKey;
}

class FakeProvider final : public HttpTransport {
 public:
  static model::OidcConfig config() {
    model::OidcConfig config;
    config.enabled = true;
    config.provider = "Lab & Co";
    config.client_id = "det";
    config.client_secret = "se:cret";
    config.recipient_url = "https://det.example.com";
    config.issuer = "https://sso.example.com";
    config.provisions_users = true;
    return config;
  }

  FakeProvider() {
    document = {{"issuer", "https://sso.example.com"},
                {"authorization_endpoint", "https://sso.example.com/authorize"},
                {"token_endpoint", "https://sso.example.com/token"},
                {"jwks_uri", "https://sso.example.com/keys"},
                {"userinfo_endpoint", "https://sso.example.com/userinfo"}};
    keys = {{"keys", {provider_key().jwk("k1")}}};
    header = {{"alg", "ES256"}, {"kid", "k1"}};
  }

  // Somebody signs in at the address that their browser was sent to: the target that it comes back to.
  std::string sign_in(std::string_view address) {
    const auto target = http::parse_target(address.substr(std::string_view("https://sso.example.com").size())).value();
    const std::string code = "code-" + std::to_string(codes_.size() + 1);
    codes_[code] = {.nonce = std::string(target.query.get("nonce")),
                    .challenge = std::string(target.query.get("code_challenge"))};
    return "/oidc/callback?code=" + code + "&state=" + http::encode_component(target.query.get("state"));
  }

  Task<Result<HttpResponse>> send(HttpRequest request) override {
    asked.push_back(request.method + " " + test::path_of_url(request.url));
    limits.push_back(request.max_answer);
    if (down) co_return std::unexpected(*down);
    if (const auto canned = answers.find(test::path_of_url(request.url)); canned != answers.end()) {
      co_return canned->second;
    }
    co_return respond(request);
  }
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink) override { return send(std::move(request)); }

  json document;
  json keys;
  json header;                                                   // of its tokens
  json claims = {{"sub", "u-1"}, {"email", "ada@example.com"}};  // over what every token has; null takes one away
  json userinfo = {{"sub", "u-1"}};
  std::function<std::string(const json& header, const json& claims)> sign = [](const json& head, const json& said) {
    return provider_key().sign(head, said);
  };
  std::optional<Error> down;
  std::map<std::string, HttpResponse> answers;  // by path, in place of its own
  std::vector<std::string> asked;
  std::vector<std::size_t> limits;  // of bytes, of each that was asked

 private:
  struct Code {
    std::string nonce;
    std::string challenge;
    bool is_used = false;
  };

  HttpResponse respond(const HttpRequest& request) {
    const std::string path = test::path_of_url(request.url);
    if (path == "/.well-known/openid-configuration") return ok(document);
    if (path == "/keys") return ok(keys);
    if (path == "/userinfo") return ok(userinfo);
    if (path != "/token") return {.status = 404, .headers = {}, .body = {}};
    const auto form = http::parse_target("/?" + request.body).value();
    const auto code = codes_.find(std::string(form.query.get("code")));
    const bool is_client = has(request, "Authorization", "Basic " + base64_encode("det:se%3Acret"));
    if (!is_client) return {.status = 401, .headers = {}, .body = R"({"error":"invalid_client"})"};
    if (code == codes_.end() || std::exchange(code->second.is_used, true) ||
        form.query.get("redirect_uri") != "https://det.example.com/oidc/callback" ||
        form.query.get("grant_type") != "authorization_code" ||
        code_challenge(std::string(form.query.get("code_verifier"))) != code->second.challenge) {
      return {.status = 400, .headers = {}, .body = R"({"error":"invalid_grant"})"};
    }
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    json said = {{"iss", "https://sso.example.com"},
                 {"aud", "det"},
                 {"iat", now},
                 {"exp", now + 60},
                 {"nonce", code->second.nonce}};
    said.merge_patch(claims);
    return ok({{"id_token", sign(header, said)}, {"access_token", "at-1"}, {"token_type", "Bearer"}});
  }
  static HttpResponse ok(const json& body) { return {.status = 200, .headers = {}, .body = body.dump()}; }
  static bool has(const HttpRequest& request, const std::string& name, const std::string& value) {
    for (const auto& [key, held] : request.headers) {
      if (key == name && held == value) return true;
    }
    return false;
  }

  std::map<std::string, Code> codes_;
};

}  // namespace det::api
