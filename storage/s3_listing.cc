#include "storage/s3_listing.h"

#include <charconv>

#include "storage/storage_xml.h"
#include "storage/url_text.h"

namespace det::storage {

Result<ListedPage> read_s3_page(const std::string& xml) {
  const auto tree = parse_storage_xml(xml);
  const auto root = tree ? tree->get_child_optional("ListBucketResult") : boost::none;
  if (!root) return fail(ErrorCode::kUnavailable, "the storage's answer is no listing of S3");
  ListedPage page;
  // Some servers do not know the encoding, and send keys as they are.
  const bool is_encoded = root->get("EncodingType", "") == "url";
  for (const auto& [name, object] : *root) {
    if (name != "Contents") continue;
    Result<std::string> key = object.get("Key", "");
    if (is_encoded) key = percent_decoded(*key, true);
    DET_TRY(key);
    const std::string size = object.get("Size", "");
    StoredFile file{.path = std::move(*key), .version = object.get("ETag", "")};
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), file.bytes);
    if (error != std::errc() || end != size.data() + size.size()) {
      return fail(ErrorCode::kUnavailable, "the size of a key of the listing is no number");
    }
    page.files.push_back(std::move(file));
  }
  if (root->get("IsTruncated", "") != "true") return page;
  page.continue_with = root->get("NextContinuationToken", "");
  if (page.continue_with.empty()) {
    return fail(ErrorCode::kUnavailable, "the storage's listing has more pages and does not say how to get the next");
  }
  return page;
}

std::string s3_error_region(const std::string& xml) {
  return storage_error_member(xml, "Region");
}

}  // namespace det::storage
