#include "storage/azure_account.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "base/lower_case.h"
#include "storage/url_text.h"

namespace det::storage {

namespace {

// The oldest that knows names which XML cannot hold.
constexpr const char* kVersion = "2021-12-02";
constexpr std::string_view kSuffix = "core.windows.net";
// Of Azure's clouds, and of accounts whose names are in a zone of their own.
constexpr auto kSuffixes = std::to_array<std::string_view>({".blob.core.windows.net", ".blob.core.chinacloudapi.cn",
                                                            ".blob.core.usgovcloudapi.net", ".blob.storage.azure.net"});
// What the emulator is known by everywhere: no secret.
constexpr const char* kEmulator = "http://127.0.0.1:10000/devstoreaccount1";
constexpr const char* kEmulatorKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-';
  });
}

std::unexpected<Error> wrong(const std::string& field, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, "checkpoint_storage." + field + ": " + why, field);
}

Status use_key(AzureAccount& account, const std::string& field, const std::string& text) {
  auto key = base64_decode(text);
  if (!key || key->empty()) return wrong(field, "the account's key is no base64");
  account.key = std::move(*key);
  return {};
}

Status use_sas(AzureAccount& account, const std::string& field, std::string text) {
  if (text.starts_with('?')) text.erase(0, 1);
  const bool is_query = std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-._~%&=+/:,;!$*()@").find(static_cast<char>(c)) != std::string::npos;
  });
  if (!is_query) return wrong(field, "the shared access signature is no query of a URL");
  account.sas = std::move(text);
  return {};
}

// The account's name, where the URL says it: before ".blob.", or an emulator's path.
std::string name_in(const std::string& url) {
  const std::string rest = without_scheme(url);
  const std::size_t slash = rest.find('/');
  if (slash != std::string::npos) return rest.substr(slash + 1);
  const std::size_t dot = rest.find('.');
  return dot == std::string::npos || rest.compare(dot, 6, ".blob.") != 0 ? "" : rest.substr(0, dot);
}

Status use_url(AzureAccount& account, const std::string& field, std::string url) {
  if (url.find("://") == std::string::npos) url.insert(0, "https://");
  while (url.ends_with('/')) url.pop_back();
  const bool is_http = url.starts_with("http://") || url.starts_with("https://");
  const std::string rest = is_http ? without_scheme(url) : "";
  const std::size_t slash = rest.find('/');
  const bool is_path_fine = slash == std::string::npos || is_name(std::string_view(rest).substr(slash + 1));
  if (!is_host(rest.substr(0, slash)) || !is_path_fine) {
    return wrong(field, "no address such as \"https://NAME.blob.core.windows.net\"");
  }
  account.url = lower_case(std::move(url));
  if (account.name.empty()) account.name = name_in(account.url);
  return {};
}

// "A=b;C=d" by upper-case name. Nothing: it has another form.
std::optional<std::map<std::string, std::string>> settings_of(std::string_view text) {
  std::map<std::string, std::string> settings;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    settings[lower_case(std::string(part.substr(0, equals)))] = std::string(part.substr(equals + 1));
  }
  return settings;
}

Result<AzureAccount> of_connection_string(const std::string& text) {
  const std::string field = "connection_string";
  const auto settings = settings_of(text);
  if (!settings) return wrong(field, "it is not made of NAME=VALUE; parts");
  const auto value = [&](const char* name, std::string_view otherwise = "") {
    const auto found = settings->find(name);
    return found == settings->end() ? std::string(otherwise) : found->second;
  };
  AzureAccount account;
  if (value("usedevelopmentstorage") == "true") {
    DET_TRY(use_url(account, field, kEmulator));
    DET_TRY(use_key(account, field, kEmulatorKey));
    return account;
  }
  account.name = value("accountname");
  if (!account.name.empty() && !is_name(account.name)) return wrong(field, "AccountName is no name of an account");
  std::string url = value("blobendpoint");
  if (url.empty() && account.name.empty()) return wrong(field, "it has neither AccountName nor BlobEndpoint");
  if (url.empty()) {
    const std::string suffix = value("endpointsuffix", kSuffix);
    if (!is_host(suffix)) return wrong(field, "EndpointSuffix is no host");
    url = value("defaultendpointsprotocol", "https") + "://" + account.name + ".blob." + suffix;
  }
  DET_TRY(use_url(account, field, std::move(url)));
  if (const std::string key = value("accountkey"); !key.empty()) {
    DET_TRY(use_key(account, field, key));
  } else {
    DET_TRY(use_sas(account, field, value("sharedaccesssignature")));
  }
  return account;
}

// A key, or a shared access signature, which is a query and has a signature.
bool is_sas(const std::string& credential) {
  return credential.starts_with('?') || credential.find("sig=") != std::string::npos;
}

Result<AzureAccount> of_account_url(std::string url, const std::string& credential) {
  AzureAccount account;
  std::string sas;
  if (const std::size_t query = url.find('?'); query != std::string::npos) {
    sas = url.substr(query + 1);
    url.resize(query);
  }
  DET_TRY(use_url(account, "account_url", std::move(url)));
  if (credential.empty()) {
    DET_TRY(use_sas(account, "account_url", std::move(sas)));
  } else if (is_sas(credential)) {
    DET_TRY(use_sas(account, "credential", credential));
  } else {
    DET_TRY(use_key(account, "credential", credential));
  }
  return account;
}

// "Fri, 26 Jun 2015 23:39:12 GMT", whatever the locale.
std::string http_date(WallTime now) {
  static constexpr auto kDays = std::to_array<const char*>({"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"});
  static constexpr auto kMonths =
      std::to_array<const char*>({"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(now - day));
  const auto two = [](auto number) {
    const std::string text = std::to_string(number);
    return (text.size() < 2 ? "0" : "") + text;
  };
  return std::string(kDays[std::chrono::weekday(day).c_encoding()]) + ", " + two(static_cast<unsigned>(date.day())) +
         " " + kMonths[static_cast<unsigned>(date.month()) - 1] + " " + std::to_string(static_cast<int>(date.year())) +
         " " + two(time.hours().count()) + ":" + two(time.minutes().count()) + ":" + two(time.seconds().count()) +
         " GMT";
}

}  // namespace

Result<AzureAccount> read_azure_account(const nlohmann::json& config) {
  const std::string connection = get_string(config, "connection_string");
  auto account = connection.empty()
                     ? of_account_url(get_string(config, "account_url"), get_string(config, "credential"))
                     : of_connection_string(connection);
  DET_TRY(account);
  if (!account->key.empty() && !is_name(account->name)) {
    return wrong(connection.empty() ? "account_url" : "connection_string",
                 "it does not say the account's name, which its key needs");
  }
  return account;
}

bool is_azures_own(const std::string& url) {
  if (!url.starts_with("https://")) return false;
  const std::string host = without_scheme(url);
  return std::ranges::any_of(kSuffixes, [&](std::string_view suffix) {
    if (!host.ends_with(suffix) || host.size() == suffix.size()) return false;
    // The account's name; in a zone of its own, the zone's after it.
    return std::ranges::all_of(std::string_view(host).substr(0, host.size() - suffix.size()), [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.';
    });
  });
}

std::string azure_text_to_sign(const AzureRequest& request, const std::string& account) {
  const auto header = [&](std::string_view name) {
    const auto found = std::ranges::find(request.headers, name, &std::pair<std::string, std::string>::first);
    return found == request.headers.end() ? std::string() : found->second;
  };
  std::string text = "GET\n";
  for (const char* name : {"content-encoding", "content-language", "content-length", "content-md5", "content-type",
                           "date", "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"}) {
    text += header(name) + "\n";
  }
  HttpHeaders own;
  for (const auto& field : request.headers) {
    if (field.first.starts_with("x-ms-")) own.push_back(field);
  }
  std::ranges::sort(own);
  for (const auto& [name, value] : own) text += name + ":" + value + "\n";
  text += "/" + account + request.path;
  for (const auto& [name, value] : request.query) text += "\n" + name + ":" + value;
  return text;
}

HttpHeaders sign_azure_request(AzureRequest request, const AzureAccount& account, WallTime now) {
  request.headers.emplace_back("x-ms-date", http_date(now));
  request.headers.emplace_back("x-ms-version", kVersion);
  if (account.key.empty()) return std::move(request.headers);
  const std::string digest = hmac_sha256_hex(account.key, azure_text_to_sign(request, account.name));
  request.headers.emplace_back("authorization",
                               "SharedKey " + account.name + ":" + base64_encode(hex_decode(digest).value()));
  return std::move(request.headers);
}

}  // namespace det::storage
