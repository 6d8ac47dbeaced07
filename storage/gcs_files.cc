#include "storage/gcs_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/cut_text.h"
#include "base/json_depth.h"
#include "base/json_get.h"
#include "base/printable.h"
#include "storage/paged_listing.h"
#include "storage/storage_calls.h"
#include "storage/url_text.h"

namespace det::storage {

namespace {

using nlohmann::json;

constexpr int kDeepest = 16;
constexpr std::size_t kLongestError = 300;

json parsed(const std::string& text) {
  if (is_nested_deeper(text, kDeepest)) return {};
  return json::parse(text, nullptr, false);
}

}  // namespace

Status check_bucket(const GcsBucket& bucket) {
  const bool is_named =
      !bucket.bucket.empty() && bucket.bucket.size() <= 222 && std::ranges::all_of(bucket.bucket, [](unsigned char c) {
        return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.' || c == '_';
      });
  if (is_named) return {};
  return fail(ErrorCode::kInvalidArgument, "'" + bucket.bucket + "' is no name of a bucket", "bucket");
}

Result<ListedPage> read_gcs_page(const std::string& text) {
  const json body = parsed(text);
  // Of no objects it says nothing but its kind.
  if (!body.is_object() || get_string(body, "kind") != "storage#objects") {
    return fail(ErrorCode::kUnavailable, "the storage's answer is no listing of Google Cloud Storage");
  }
  ListedPage page{.continue_with = get_string(body, "nextPageToken")};
  for (const json& object : get_array(body, "items")) {
    StoredFile file{.path = get_string(object, "name"), .version = get_string(object, "generation")};
    const std::string size = get_string(object, "size");
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), file.bytes);
    if (error != std::errc() || end != size.data() + size.size()) {
      return fail(ErrorCode::kUnavailable, "the size of an object of the listing is no number");
    }
    page.files.push_back(std::move(file));
  }
  return page;
}

GcsFiles::GcsFiles(HttpTransport& transport, Clock& clock, boost::asio::thread_pool& workers, GcsIdentity& identity,
                   const GcsBucket& bucket, const std::string& uuid)
    : transport_(transport),
      clock_(clock),
      workers_(workers),
      identity_(identity),
      bucket_(bucket.bucket),
      objects_("/storage/v1/b/" + percent_encoded(bucket.bucket, false) + "/o"),
      folder_(folder_of(normal_prefix(bucket.prefix), uuid)) {}

Task<Result<HttpResponse>> GcsFiles::get(std::string path, std::map<std::string, std::string> query,
                                         HttpHeaders headers, std::size_t most_bytes) {
  const std::string url = identity_.origin() + path + "?" + query_text(query);
  auto make = [this, url, headers]() -> Task<Result<HttpRequest>> {
    const auto authorization = co_await identity_.authorization();
    DET_CO_TRY(authorization);
    HttpRequest request{.url = url, .headers = headers};
    if (!authorization->empty()) request.headers.emplace_back("authorization", *authorization);
    co_return request;
  };
  auto response = co_await get_patiently(transport_, clock_, make, most_bytes);
  if (!response || response->status < 300) co_return response;
  const std::string why = get_string(get_object(parsed(response->body), "error"), "message");
  co_return std::unexpected(refusal_of(identity_.origin() + ", bucket '" + bucket_ + "',", response->status,
                                       cut_text(printable(why), kLongestError)));
}

Task<Result<std::vector<StoredFile>>> GcsFiles::list() {
  const auto fetch = [this](std::string continue_with) {
    std::map<std::string, std::string> query = {
        {"prefix", folder_}, {"maxResults", "1000"}, {"fields", "kind,nextPageToken,items(name,size,generation)"}};
    if (!continue_with.empty()) query["pageToken"] = std::move(continue_with);
    return get(objects_, std::move(query), {}, kMostListingBytes);
  };
  co_return co_await list_pages(clock_, workers_, folder_, fetch, read_gcs_page);
}

Task<Result<std::string>> GcsFiles::read(StoredFile file, std::uint64_t offset, std::size_t length) {
  if (length == 0) co_return std::string();
  std::map<std::string, std::string> query = {{"alt", "media"}};
  if (!file.version.empty()) query["generation"] = file.version;
  // An object that is kept compressed would otherwise be unpacked on the way: then no part of it can be had.
  HttpHeaders headers = {{"range", range_text(offset, length)}, {"accept-encoding", "gzip"}};
  auto answer = co_await get(objects_ + "/" + percent_encoded(folder_ + file.path, false), std::move(query),
                             std::move(headers), length);
  DET_CO_TRY(answer);
  co_return part_of(std::move(*answer), identity_.origin(), offset, length);
}

}  // namespace det::storage
