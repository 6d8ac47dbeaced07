#include "storage/s3_files.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "storage/paged_listing.h"
#include "storage/s3_listing.h"
#include "storage/storage_calls.h"
#include "storage/storage_xml.h"
#include "storage/url_text.h"

namespace det::storage {

namespace {

bool is_bucket_char(unsigned char c) {
  return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
}

// Clients sign the port only where it is not the scheme's own.
std::string host_to_sign(const std::string& origin) {
  std::string host = without_scheme(origin);
  const std::string_view own_port = origin.starts_with("https:") ? ":443" : ":80";
  if (host.ends_with(own_port)) host.resize(host.size() - own_port.size());
  return host;
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
  if (!is_host(host)) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + bucket.endpoint + "' is no address such as \"https://minio.example.com:9000\"", "endpoint_url");
  }
  return {};
}

S3Files::S3Files(HttpTransport& transport, Clock& clock, boost::asio::thread_pool& workers, S3Bucket bucket,
                 const std::string& uuid)
    : transport_(transport),
      clock_(clock),
      workers_(workers),
      bucket_(std::move(bucket)),
      folder_(folder_of(normal_prefix(bucket_.prefix), uuid)) {}

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
                            .path = to.path + "/" + percent_encoded(key, true),
                            .query = std::move(query),
                            .headers = std::move(headers),
                            .region = bucket_.region};
  const std::string asked = query_text(signed_request.query);
  HttpRequest request{.url = to.origin + signed_request.path + (asked.empty() ? "" : "?" + asked),
                      .headers = sign_request(signed_request, bucket_.keys, clock_.wall_now())};
  co_return co_await get_bounded(transport_, std::move(request), most_bytes);
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
      co_await clock_.sleep_for(pause_after(tries));
      continue;
    }
    if (response->status >= 200 && response->status < 300) co_return response;
    std::string region(response->header("x-amz-bucket-region").value_or(""));
    if (region.empty()) region = s3_error_region(response->body);
    // Of an endpoint that is named, only what is signed changes.
    const bool is_elsewhere = !region.empty() && region != bucket_.region &&
                              std::ranges::all_of(region, [](unsigned char c) { return is_bucket_char(c); });
    const bool may_pass = response->status >= 500 || response->status == 429;
    if (is_last || (!is_elsewhere && !may_pass))
      co_return std::unexpected(refusal_of(target().origin, response->status, storage_error_text(response->body)));
    if (is_elsewhere) {
      bucket_.region = std::move(region);
    } else {
      co_await clock_.sleep_for(pause_after(tries));
    }
  }
}

Task<Result<std::vector<StoredFile>>> S3Files::list() {
  const auto fetch = [this](std::string continue_with) {
    std::map<std::string, std::string> query = {{"encoding-type", "url"}, {"list-type", "2"}, {"prefix", folder_}};
    if (!continue_with.empty()) query["continuation-token"] = std::move(continue_with);
    return get("", std::move(query), {}, kMostListingBytes);
  };
  co_return co_await list_pages(clock_, workers_, folder_, fetch, read_s3_page);
}

Task<Result<std::string>> S3Files::read(StoredFile file, std::uint64_t offset, std::size_t length) {
  if (length == 0) co_return std::string();
  HttpHeaders headers = {{"range", range_text(offset, length)}};
  if (!file.version.empty()) headers.emplace_back("if-match", file.version);
  auto answer = co_await get(folder_ + file.path, {}, std::move(headers), length);
  DET_CO_TRY(answer);
  co_return part_of(std::move(*answer), target().origin, offset, length);
}

}  // namespace det::storage
