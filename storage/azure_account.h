#pragma once

// How a storage account of Azure is reached: from a configuration's connection_string, or account_url and credential,
// as the Python client reads them. Pure.

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/http_client.h"
#include "base/result.h"
#include "base/wall_time.h"

namespace det::storage {

struct AzureAccount {
  std::string url;   // "https://name.blob.core.windows.net"; of an emulator with a path: the account's name
  std::string name;  // of the account; needed for a key only
  std::string key;   // decoded; empty: there is none
  std::string sas;   // a shared access signature as a query, without '?'; empty: there is none
};

// `config`: the section checkpoint_storage. kInvalidArgument names the field that cannot be read, and never quotes a
// secret.
[[nodiscard]] Result<AzureAccount> read_azure_account(const nlohmann::json& config);

// Whether the URL is one of Azure's own: HTTPS to a name that only Azure hands out.
[[nodiscard]] bool is_azures_own(const std::string& url);

struct AzureRequest {
  std::string path;                          // as sent: percent-encoded
  std::map<std::string, std::string> query;  // decoded
  HttpHeaders headers;                       // names in lower case
};

// The text that a GET without a body is signed with. Source: Azure's documentation, "Authorize with Shared Key",
// Blob service, version 2015-02-21 and later.
[[nodiscard]] std::string azure_text_to_sign(const AzureRequest& request, const std::string& account);
// `request`'s own headers, those that say its time and version, and, where the account has a key, its signature.
[[nodiscard]] HttpHeaders sign_azure_request(AzureRequest request, const AzureAccount& account, WallTime now);

}  // namespace det::storage
