#include "storage/gcs_identity.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/guarded_work.h"
#include "base/json_depth.h"
#include "base/json_get.h"
#include "base/rsa_signature.h"
#include "storage/url_text.h"

namespace det::storage {

namespace {

using nlohmann::json;

constexpr const char* kService = "https://storage.googleapis.com";
constexpr const char* kTokenService = "https://oauth2.googleapis.com/token";
constexpr const char* kScope = "https://www.googleapis.com/auth/devstorage.read_only";
constexpr std::size_t kMostBytes = std::size_t{64} << 10;  // of a file of credentials, and of a token's answer
constexpr int kDeepest = 16;
constexpr std::int64_t kTokenSeconds = 3600;  // the most that Google signs for
constexpr std::chrono::milliseconds kTimeout{10'000};
constexpr std::chrono::seconds kMargin{120};  // a token that ends meanwhile is none
constexpr const char* kRemedy =
    "give this server credentials: a service account's file in GOOGLE_APPLICATION_CREDENTIALS, or workload identity";

json parsed(const std::string& text) {
  if (is_nested_deeper(text, kDeepest)) return {};
  return json::parse(text, nullptr, false);
}

HttpRequest form_post(std::string url, const std::map<std::string, std::string>& form) {
  return {.method = "POST",
          .url = std::move(url),
          .headers = {{"content-type", "application/x-www-form-urlencoded"}},
          .body = query_text(form)};
}

std::optional<std::string> read_small_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  std::string text(kMostBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Result<HttpRequest> of_service_account(const json& account, std::int64_t now) {
  const std::string service =
      get_string(account, "token_uri").empty() ? kTokenService : get_string(account, "token_uri");
  const json claims = {{"iss", get_string(account, "client_email")},
                       {"scope", kScope},
                       {"aud", service},
                       {"iat", now},
                       {"exp", now + kTokenSeconds}};
  auto assertion = make_jwt(claims.dump(-1, ' ', false, json::error_handler_t::replace),
                            get_string(account, "private_key_id"), get_string(account, "private_key"));
  DET_TRY(assertion);
  return form_post(service, {{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"}, {"assertion", *assertion}});
}

}  // namespace

GcsSettings gcs_settings(const std::function<std::optional<std::string>(const std::string& name)>& variable) {
  const auto text = [&](const char* name) { return variable(name).value_or(""); };
  GcsSettings settings;
  settings.emulator = text("STORAGE_EMULATOR_HOST");
  // Google's clients differ in whether it has a scheme.
  if (!settings.emulator.empty() && settings.emulator.find("://") == std::string::npos) {
    settings.emulator.insert(0, "http://");
  }
  while (settings.emulator.ends_with('/')) settings.emulator.pop_back();
  settings.credentials_file = text("GOOGLE_APPLICATION_CREDENTIALS");
  std::string folder = text("CLOUDSDK_CONFIG");
  if (folder.empty() && !text("HOME").empty()) folder = text("HOME") + "/.config/gcloud";
  if (!folder.empty()) settings.usual_file = folder + "/application_default_credentials.json";
  if (std::string host = text("GCE_METADATA_HOST"); !host.empty()) settings.metadata_host = std::move(host);
  return settings;
}

Result<HttpRequest> token_request_of(const std::string& credentials, std::int64_t now) {
  const json file = parsed(credentials);
  const std::string type = get_string(file, "type");
  if (type == "service_account") return of_service_account(file, now);
  if (type == "authorized_user") {
    return form_post(kTokenService, {{"grant_type", "refresh_token"},
                                     {"client_id", get_string(file, "client_id")},
                                     {"client_secret", get_string(file, "client_secret")},
                                     {"refresh_token", get_string(file, "refresh_token")}});
  }
  return fail(ErrorCode::kFailedPrecondition,
              type.empty() ? "it holds no credentials of Google"
                           : "credentials of type '" + type + "' do not work here; service_account does");
}

std::string GcsIdentity::origin() const {
  return settings_.emulator.empty() ? kService : settings_.emulator;
}

Task<Result<GcsIdentity::TokenRequest>> GcsIdentity::token_request() {
  auto work = [named = settings_.credentials_file, usual = settings_.usual_file,
               now = clock_.wall_now()]() -> Result<TokenRequest> {
    const std::string& path = named.empty() ? usual : named;
    const auto text = path.empty() ? std::nullopt : read_small_file(path);
    if (!text && !named.empty()) {
      return fail(ErrorCode::kFailedPrecondition, "GOOGLE_APPLICATION_CREDENTIALS: cannot read " + named);
    }
    if (!text) return TokenRequest();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
    auto request = token_request_of(*text, seconds);
    if (!request) return std::unexpected(with_context(request.error(), "credentials of Google in " + path));
    return TokenRequest{.request = std::move(*request), .place = path};
  };
  auto made = co_await run_guarded(workers_, std::move(work));
  DET_CO_TRY(made);
  if (made->place.empty()) {
    made->place = "the metadata server";
    made->request = {
        .url = "http://" + settings_.metadata_host + "/computeMetadata/v1/instance/service-accounts/default/token",
        .headers = {{"metadata-flavor", "Google"}},
        // It is this machine's own: no proxy of the environment sees its tokens.
        .may_connect = [](const std::string&) { return true; }};
  }
  made->request.timeout = kTimeout;
  made->request.max_answer = kMostBytes;
  co_return made;
}

Task<Result<std::string>> GcsIdentity::authorization() {
  if (!settings_.emulator.empty()) co_return std::string();
  if (!token_.empty() && clock_.steady_now() < good_until_) co_return "Bearer " + token_;
  auto made = co_await token_request();
  DET_CO_TRY(made);
  const auto asked_at = clock_.steady_now();
  const auto answer = co_await transport_.send(std::move(made->request));
  // Where no such host is known, this is no machine of Google's.
  if (!answer) {
    co_return fail(ErrorCode::kFailedPrecondition, "no token for Google Cloud Storage from " + made->place + ": " +
                                                       answer.error().message + "; " + kRemedy);
  }
  const json body = parsed(answer->body);
  const std::string token = get_string(body, "access_token");
  const bool is_plain = std::ranges::all_of(token, [](unsigned char c) { return c > ' ' && c < 0x7f; });
  if (answer->status != 200 || token.empty() || !is_plain) {
    const std::string why = get_string(body, "error_description");
    const bool may_pass = answer->status >= 500 || answer->status == 429;
    co_return fail(may_pass ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition,
                   "no token for Google Cloud Storage from " + made->place + ": the answer is " +
                       std::to_string(answer->status) + (why.empty() ? "" : ", " + why) + "; " + kRemedy);
  }
  token_ = token;
  const std::chrono::seconds lives(std::clamp<std::int64_t>(get_integer(body, "expires_in"), 0, kTokenSeconds));
  good_until_ = asked_at + std::max(lives - kMargin, std::chrono::seconds(0));
  co_return "Bearer " + token_;
}

}  // namespace det::storage
