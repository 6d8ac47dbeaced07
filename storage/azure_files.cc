#include "storage/azure_files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "storage/paged_listing.h"
#include "storage/storage_calls.h"
#include "storage/storage_xml.h"
#include "storage/url_text.h"

namespace det::storage {

namespace {

std::string name_of(const std::string& container) {
  return container.substr(0, container.find('/'));
}

std::string prefix_of(const std::string& container) {
  const std::size_t slash = container.find('/');
  return slash == std::string::npos ? "" : container.substr(slash + 1);
}

// In headers the tag has quotes, in listings it has none.
std::string quoted(std::string tag) {
  if (tag.empty() || tag.starts_with('"')) return tag;
  return "\"" + std::move(tag) + "\"";
}

Result<StoredFile> read_blob(const boost::property_tree::ptree& blob) {
  std::string name = blob.get("Name", "");
  // A name with characters that XML cannot hold.
  if (blob.get("Name.<xmlattr>.Encoded", "") == "true") {
    auto decoded = percent_decoded(name, false);
    DET_TRY(decoded);
    name = std::move(*decoded);
  }
  // Accounts with a hierarchical namespace list folders, too.
  const bool is_folder = blob.get("Properties.ResourceType", "") == "directory";
  if (is_folder && !name.ends_with('/')) name += '/';
  StoredFile file{.path = std::move(name), .version = quoted(blob.get("Properties.Etag", ""))};
  const std::string size = blob.get("Properties.Content-Length", "");
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), file.bytes);
  if (error != std::errc() || end != size.data() + size.size()) {
    return fail(ErrorCode::kUnavailable, "the size of a blob of the listing is no number");
  }
  return file;
}

}  // namespace

Status check_container(const std::string& container) {
  const std::string name = name_of(container);
  const bool is_named = name.size() >= 3 && name.size() <= 63 && std::ranges::all_of(name, [](unsigned char c) {
                          return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '$';
                        });
  if (is_named) return {};
  return fail(ErrorCode::kInvalidArgument, "'" + container + "' is no name of a container", "container");
}

Result<ListedPage> read_azure_page(const std::string& xml) {
  const auto tree = parse_storage_xml(xml);
  const auto root = tree ? tree->get_child_optional("EnumerationResults") : boost::none;
  if (!root) return fail(ErrorCode::kUnavailable, "the storage's answer is no listing of Azure");
  ListedPage page{.continue_with = root->get("NextMarker", "")};
  const auto blobs = root->get_child_optional("Blobs");
  if (!blobs) return page;
  for (const auto& [kind, blob] : *blobs) {
    if (kind != "Blob") continue;
    auto file = read_blob(blob);
    DET_TRY(file);
    page.files.push_back(std::move(*file));
  }
  return page;
}

AzureFiles::AzureFiles(HttpTransport& transport, Clock& clock, boost::asio::thread_pool& workers, AzureAccount account,
                       const std::string& container, const std::string& uuid)
    : transport_(transport),
      clock_(clock),
      workers_(workers),
      account_(std::move(account)),
      container_(name_of(container)),
      folder_(folder_of(prefix_of(container), uuid)) {}

HttpRequest AzureFiles::signed_get(const std::string& path, const std::map<std::string, std::string>& query,
                                   const HttpHeaders& headers) const {
  const std::string rest = without_scheme(account_.url);
  const std::size_t slash = rest.find('/');
  const std::string whole_path = (slash == std::string::npos ? "" : rest.substr(slash)) + path;
  std::string asked = query_text(query);
  if (!account_.sas.empty()) asked += (asked.empty() ? "" : "&") + account_.sas;
  return {.url = account_.url + path + (asked.empty() ? "" : "?" + asked),
          .headers = sign_azure_request({.path = whole_path, .query = query, .headers = headers}, account_,
                                        clock_.wall_now())};
}

Task<Result<HttpResponse>> AzureFiles::get(std::string path, std::map<std::string, std::string> query,
                                           HttpHeaders headers, std::size_t most_bytes) {
  auto make = [this, path, query, headers]() -> Task<Result<HttpRequest>> {
    co_return signed_get(path, query, headers);
  };
  auto response = co_await get_patiently(transport_, clock_, make, most_bytes);
  if (!response || response->status < 300) co_return response;
  co_return std::unexpected(refusal_of(account_.url + ", container '" + container_ + "',", response->status,
                                       storage_error_text(response->body)));
}

Task<Result<std::vector<StoredFile>>> AzureFiles::list() {
  const auto fetch = [this](std::string continue_with) {
    std::map<std::string, std::string> query = {
        {"restype", "container"}, {"comp", "list"}, {"prefix", folder_}, {"maxresults", "1000"}};
    if (!continue_with.empty()) query["marker"] = std::move(continue_with);
    return get("/" + container_, std::move(query), {}, kMostListingBytes);
  };
  co_return co_await list_pages(clock_, workers_, folder_, fetch, read_azure_page);
}

Task<Result<std::string>> AzureFiles::read(StoredFile file, std::uint64_t offset, std::size_t length) {
  if (length == 0) co_return std::string();
  HttpHeaders headers = {{"x-ms-range", range_text(offset, length)}};
  if (!file.version.empty()) headers.emplace_back("if-match", file.version);
  auto answer =
      co_await get("/" + container_ + "/" + percent_encoded(folder_ + file.path, true), {}, std::move(headers), length);
  DET_CO_TRY(answer);
  co_return part_of(std::move(*answer), account_.url, offset, length);
}

}  // namespace det::storage
