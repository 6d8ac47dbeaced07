#pragma once

// Determined's own web pages, as a team's image of its master has them: served under /det, on this server's API. Read
// into memory once, as ours are (api/pages/web_page.h): no path of a request is ever a path of a file. Read at start;
// then only read, from the io thread.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/pages/web_file.h"
#include "base/result.h"

namespace det::api {

class UpstreamPages {
 public:
  // Bounds of what is kept.
  static constexpr std::size_t kMostFiles = 4'000;
  static constexpr std::size_t kMostBytes = std::size_t{96} << 20;

  // Reads the regular files below `folder`, but no source maps; links are passed over. kNotFound where there is no
  // index.html, kResourceExhausted beyond the bounds; each names the folder.
  [[nodiscard]] static Result<UpstreamPages> read(const std::filesystem::path& folder);

  // The file of this name within the folder, with slashes; null for another name, and for index.html.
  [[nodiscard]] const WebFile* find(std::string_view name) const;
  // What every other address gets: its script finds out which page it is.
  [[nodiscard]] const WebFile& index() const { return index_; }
  // Content-Security-Policy of all of them: only this server's own, and the scripts that stand in index.html.
  [[nodiscard]] const std::string& policy() const { return policy_; }

 private:
  std::map<std::string, WebFile, std::less<>> files_;
  WebFile index_;
  std::string policy_;
};

// Those of `folder`; empty: none. Errors are those of UpstreamPages::read().
[[nodiscard]] Result<std::optional<UpstreamPages>> chosen_upstream_pages(const std::string& folder);

}  // namespace det::api
