#pragma once

// Signature Version 4 of AWS for requests without a body, as S3 and what is compatible with it ask for. Pure.
// Source: AWS documentation, "Authenticating Requests: Using the Authorization Header".

#include <map>
#include <string>
#include <string_view>

#include "base/http_client.h"
#include "base/wall_time.h"

namespace det::storage {

struct AwsKeys {
  std::string access_key;
  std::string secret_key;
};

struct AwsRequest {
  std::string method = "GET";
  std::string host;                          // as the header Host has it, with a port that is not the scheme's own
  std::string path;                          // as sent: percent-encoded
  std::map<std::string, std::string> query;  // decoded
  HttpHeaders headers;                       // that are signed beside host and date; names in lower case
  std::string region;
};

// `request`'s own headers and those that sign it.
[[nodiscard]] HttpHeaders sign_request(const AwsRequest& request, const AwsKeys& keys, WallTime now);

}  // namespace det::storage
