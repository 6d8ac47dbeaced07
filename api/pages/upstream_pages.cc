#include "api/pages/upstream_pages.h"

#include <utility>

#include "base/encoding.h"
#include "base/gzip.h"
#include "base/lower_case.h"

namespace det::api {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndex = "index.html";
constexpr std::size_t kWorthPacking = 1'024;  // bytes

// Of what a page of Determined's does: it styles its elements one by one, shows what it made itself, and works off the
// thread. Others' scripts (of statistics) are not among it.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'; worker-src 'self' blob:; frame-src 'self'; manifest-src 'self'; base-uri 'self'; "
    "form-action 'self'; frame-ancestors 'none'; script-src 'self'";

// By their hashes, the scripts that stand in `html` itself: " 'sha256-...' 'sha256-...'".
std::string inline_scripts(const std::string& html) {
  std::string sources;
  const std::string lower = lower_case(html);
  constexpr std::string_view kBegin = "<script";
  constexpr std::string_view kEnd = "</script";
  for (std::size_t at = lower.find(kBegin); at != std::string::npos; at = lower.find(kBegin, at)) {
    const auto head_end = lower.find('>', at);
    const auto end = lower.find(kEnd, at);
    if (head_end == std::string::npos || end == std::string::npos) break;
    at = end;
    if (head_end + 1 >= end) continue;  // nothing stands in it
    const std::string digest = hex_decode(sha256_hex(html.substr(head_end + 1, end - head_end - 1))).value_or("");
    sources += " 'sha256-" + base64_encode(digest) + "'";
  }
  return sources;
}

bool packs_well(const WebFile& file) {
  return file.plain.size() >= kWorthPacking && (file.type.starts_with("text/") || file.type == "application/json" ||
                                                file.type == "image/svg+xml" || file.type == "application/wasm");
}

}  // namespace

Result<UpstreamPages> UpstreamPages::read(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_regular_file(folder / kIndex, failed)) {
    return fail(ErrorCode::kNotFound, folder.string() +
                                          " has no index.html: name the folder of the pages that Determined's image "
                                          "has, /usr/share/determined/master/webui/react");
  }
  auto texts = texts_below(folder, {.files = kMostFiles,
                                    .bytes = kMostBytes,
                                    .hint = "name the folder of Determined's pages alone",
                                    .wants = [](std::string_view name) { return !name.ends_with(".map"); }});
  DET_TRY(texts);
  UpstreamPages pages;
  for (auto& [name, text] : *texts) {
    WebFile file = web_file(name, std::move(text));
    if (packs_well(file)) {
      auto packed = gzip(file.plain);
      DET_TRY(packed);
      file.gzip = std::move(*packed);
    }
    if (name == kIndex) {
      pages.policy_ = kPolicy + inline_scripts(file.plain);
      pages.index_ = std::move(file);
    } else {
      pages.files_.emplace(name, std::move(file));
    }
  }
  return pages;
}

const WebFile* UpstreamPages::find(std::string_view name) const {
  const auto at = files_.find(name);
  return at == files_.end() ? nullptr : &at->second;
}

Result<std::optional<UpstreamPages>> chosen_upstream_pages(const std::string& folder) {
  if (folder.empty()) return std::nullopt;
  auto pages = UpstreamPages::read(folder);
  DET_TRY(pages);
  return std::move(*pages);
}

}  // namespace det::api
