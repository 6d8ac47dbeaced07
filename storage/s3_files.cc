#include "storage/s3_files.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <utility>

#include "base/inner_path.h"
#include "storage/s3_listing.h"

namespace det::storage {

namespace {

constexpr std::chrono::milliseconds kCallTimeout{60'000};
constexpr std::chrono::milliseconds kIdleTimeout{20'000};
constexpr std::size_t kMostListingBytes = std::size_t{8} << 20;  // of a page: a thousand keys
constexpr int kMostTries = 3;
constexpr std::chrono::milliseconds kPause{200};

bool is_bucket_char(unsigned char c) {
  return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
}

std::string without_scheme(std::string_view url) {
  return std::string(url.substr(url.find("://") + 3));
}

// Clients sign the port only where it is not the scheme's own.
std::string host_to_sign(const std::string& origin) {
  std::string host = without_scheme(origin);
  const std::string_view own_port = origin.starts_with("https:") ? ":443" : ":80";
  if (host.ends_with(own_port)) host.resize(host.size() - own_port.size());
  return host;
}

std::string trimmed_slashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return std::string(text);
}

ErrorCode code_of(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  if (status == 401 || status == 403) return ErrorCode::kPermissionDenied;
  return status >= 500 || status == 429 ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition;
}

Error refusal(const std::string& origin, const HttpResponse& response) {
  const std::string why = s3_error_text(response.body);
  return {.code = code_of(response.status),
          .message = origin + " answers " + std::to_string(response.status) + (why.empty() ? "" : ", " + why),
          .field = {},
          .retry_after = {}};
}

}  // namespace

Status check_bucket(const S3Bucket& bucket) {
  const bool is_named = !bucket.bucket.empty() && bucket.bucket.size() <= 255 &&
                        std::ranges::all_of(bucket.bucket, [](unsigned char c) { return is_bucket_char(c); });
  if (!is_named) {
    return fail(ErrorCode::kInvalidArgument, "'" + bucket.bucket + "' is no name of a bucket", "bucket");
  }
  if (bucket.endpoint.empty()) return {};
  const bool is_http = bucket.endpoint.starts_with("http://") || bucket.endpoint.starts_with("https://");
  const std::string host = is_http ? without_scheme(bucket.endpoint) : "";
  const bool is_host = !host.empty() && std::ranges::all_of(host, [](unsigned char c) {
    return is_bucket_char(c) || c == ':' || c == '[' || c == ']';
  });
  if (!is_host) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + bucket.endpoint + "' is no address such as \"https://minio.example.com:9000\"", "endpoint_url");
  }
  return {};
}

S3Files::S3Files(HttpTransport& transport, Clock& clock, S3Bucket bucket, std::string uuid)
    : transport_(transport), clock_(clock), bucket_(std::move(bucket)) {
  const std::string prefix = trimmed_slashes(bucket_.prefix);
  folder_ = (prefix.empty() ? "" : prefix + "/") + std::move(uuid) + "/";
}

S3Files::Target S3Files::target() const {
  if (!bucket_.endpoint.empty()) {
    return {.origin = bucket_.endpoint, .host = host_to_sign(bucket_.endpoint), .path = "/" + bucket_.bucket};
  }
  // A certificate for names of one level does not cover a bucket with dots.
  const bool is_dotted = bucket_.bucket.find('.') != std::string::npos;
  const std::string host = "s3." + bucket_.region + ".amazonaws.com";
  if (is_dotted) return {.origin = "https://" + host, .host = host, .path = "/" + bucket_.bucket};
  return {.origin = "https://" + bucket_.bucket + "." + host, .host = bucket_.bucket + "." + host, .path = ""};
}

Task<Result<HttpResponse>> S3Files::get_once(std::string key, std::map<std::string, std::string> query,
                                             HttpHeaders headers, std::size_t most_bytes) {
  const Target to = target();
  AwsRequest signed_request{.host = to.host,
                            .path = to.path + "/" + aws_encode(key, true),
                            .query = std::move(query),
                            .headers = std::move(headers),
                            .region = bucket_.region};
  const std::string asked = aws_query(signed_request.query);
  HttpRequest request{.url = to.origin + signed_request.path + (asked.empty() ? "" : "?" + asked),
                      .headers = sign_request(signed_request, bucket_.keys, clock_.wall_now()),
                      .timeout = kCallTimeout,
                      .idle_timeout = kIdleTimeout};
  std::string body;
  bool is_too_long = false;
  auto sink = [&body, &is_too_long, most_bytes](std::string_view bytes) {
    is_too_long = body.size() + bytes.size() > most_bytes;
    if (!is_too_long) body.append(bytes);
    return !is_too_long;
  };
  auto response = co_await transport_.stream(std::move(request), sink);
  if (is_too_long) co_return fail(ErrorCode::kFailedPrecondition, to.origin + " sends more than it was asked for");
  DET_CO_TRY(response);
  if (!body.empty()) response->body = std::move(body);
  co_return response;
}

Task<Result<HttpResponse>> S3Files::get(std::string key, std::map<std::string, std::string> query, HttpHeaders headers,
                                        std::size_t most_bytes) {
  for (int tries = 1;; ++tries) {
    auto response = co_await get_once(key, query, headers, most_bytes);
    const bool is_last = tries == kMostTries;
    if (!response) {
      const ErrorCode code = response.error().code;
      const bool may_pass = code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded;
      if (is_last || !may_pass) co_return response;
      co_await clock_.sleep_for(kPause * tries);
      continue;
    }
    if (response->status >= 200 && response->status < 300) co_return response;
    std::string region(response->header("x-amz-bucket-region").value_or(""));
    if (region.empty()) region = s3_error_region(response->body);
    const bool is_elsewhere = bucket_.endpoint.empty() && !region.empty() && region != bucket_.region &&
                              std::ranges::all_of(region, [](unsigned char c) { return is_bucket_char(c); });
    if (is_last || (!is_elsewhere && response->status < 500))
      co_return std::unexpected(refusal(target().origin, *response));
    if (is_elsewhere) {
      bucket_.region = std::move(region);
    } else {
      co_await clock_.sleep_for(kPause * tries);
    }
  }
}

Task<Result<std::vector<StoredFile>>> S3Files::list() {
  std::vector<StoredFile> files;
  std::map<std::string, std::string> query = {{"encoding-type", "url"}, {"list-type", "2"}, {"prefix", folder_}};
  for (bool is_more = true; is_more;) {
    const auto answer = co_await get("", query, {}, kMostListingBytes);
    DET_CO_TRY(answer);
    auto listing = read_s3_listing(answer->body);
    DET_CO_TRY(listing);
    for (StoredFile& file : listing->files) {
      if (!file.path.starts_with(folder_)) continue;
      file.path.erase(0, folder_.size());
      if (file.path.empty()) continue;  // a marker of the folder itself
      if (!is_inner_path(file.path)) {
        co_return fail(ErrorCode::kFailedPrecondition, "its key '" + file.path + "' leaves the checkpoint");
      }
      files.push_back(std::move(file));
    }
    if (files.size() > kMostFiles) {
      co_return fail(ErrorCode::kResourceExhausted, "it has more than " + std::to_string(kMostFiles) + " files");
    }
    is_more = listing->continue_with && *listing->continue_with != query["continuation-token"];
    if (is_more) query["continuation-token"] = *listing->continue_with;
  }
  if (files.empty()) co_return fail(ErrorCode::kNotFound, "there is nothing below " + folder_);
  std::ranges::sort(files, {}, &StoredFile::path);
  co_return files;
}

Task<Result<std::string>> S3Files::read(StoredFile file, std::uint64_t offset, std::size_t length) {
  if (length == 0) co_return std::string();
  const std::string range = "bytes=" + std::to_string(offset) + "-" + std::to_string(offset + length - 1);
  auto answer = co_await get(folder_ + file.path, {}, {{"range", range}}, length);
  DET_CO_TRY(answer);
  // One that knows no ranges sends all of it, which would be taken for this piece.
  if (answer->status != 206 && (offset > 0 || answer->body.size() > length)) {
    co_return fail(ErrorCode::kUnavailable, target().origin + " does not send parts of files");
  }
  co_return std::move(answer->body);
}

}  // namespace det::storage
