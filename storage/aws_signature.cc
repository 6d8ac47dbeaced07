#include "storage/aws_signature.h"

#include <algorithm>
#include <cctype>

#include "base/encoding.h"

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

std::string aws_encode(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    if (is_plain || (keeps_slashes && c == '/')) {
      result += c;
    } else {
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

std::string aws_query(const std::map<std::string, std::string>& query) {
  std::string result;
  for (const auto& [name, value] : query) {
    result += (result.empty() ? "" : "&") + aws_encode(name, false) + "=" + aws_encode(value, false);
  }
  return result;
}

HttpHeaders sign_request(const AwsRequest& request, const AwsKeys& keys, WallTime now) {
  const std::string time = basic_time(now);
  const std::string day = time.substr(0, 8);
  HttpHeaders headers = request.headers;
  headers.emplace_back("host", request.host);
  headers.emplace_back("x-amz-content-sha256", kEmptyDigest);
  headers.emplace_back("x-amz-date", time);
  std::ranges::sort(headers);
  std::string canonical = request.method + "\n" + request.path + "\n" + aws_query(request.query) + "\n";
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
