#include "storage/aws_signature.h"

#include <algorithm>

#include "base/encoding.h"
#include "storage/url_text.h"

namespace det::storage {

namespace {

constexpr std::string_view kAlgorithm = "AWS4-HMAC-SHA256";
constexpr std::string_view kService = "s3";
// Of no bytes.
constexpr const char* kEmptyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// "20130524T000000Z"
std::string basic_time(WallTime now) {
  std::string text = format_rfc3339_seconds(now);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::string hmac(std::string_view key, std::string_view bytes) {
  return hex_decode(hmac_sha256_hex(key, bytes)).value();
}

std::string signing_key(const AwsKeys& keys, std::string_view day, std::string_view region) {
  return hmac(hmac(hmac(hmac("AWS4" + keys.secret_key, day), region), kService), "aws4_request");
}

}  // namespace

HttpHeaders sign_request(const AwsRequest& request, const AwsKeys& keys, WallTime now) {
  const std::string time = basic_time(now);
  const std::string day = time.substr(0, 8);
  HttpHeaders headers = request.headers;
  headers.emplace_back("host", request.host);
  headers.emplace_back("x-amz-content-sha256", kEmptyDigest);
  headers.emplace_back("x-amz-date", time);
  std::ranges::sort(headers);
  std::string canonical = request.method + "\n" + request.path + "\n" + query_text(request.query) + "\n";
  std::string names;
  for (const auto& [name, value] : headers) {
    canonical += name + ":" + value + "\n";
    names += (names.empty() ? "" : ";") + name;
  }
  canonical += "\n" + names + "\n" + kEmptyDigest;
  const std::string scope = day + "/" + request.region + "/" + std::string(kService) + "/aws4_request";
  const std::string to_sign = std::string(kAlgorithm) + "\n" + time + "\n" + scope + "\n" + sha256_hex(canonical);
  const std::string signature = hmac_sha256_hex(signing_key(keys, day, request.region), to_sign);
  std::erase_if(headers, [](const auto& header) { return header.first == "host"; });  // libcurl sends its own
  headers.emplace_back("authorization", std::string(kAlgorithm) + " Credential=" + keys.access_key + "/" + scope +
                                            ", SignedHeaders=" + names + ", Signature=" + signature);
  return headers;
}

}  // namespace det::storage
