#pragma once

// The web page as webui/ builds it: a folder of files, read into memory once, so that no request looks at the disk and
// no path of a request is ever a path of a file. Read at start; then only read, from the io thread.

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/pages/web_file.h"
#include "base/result.h"

namespace det::api {

class WebPage {
 public:
  // Bounds of what is kept.
  static constexpr std::size_t kMostFiles = 2'000;
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of all files together

  // Reads all regular files below `folder`; links are passed over. NAME.br and NAME.gz are forms of NAME. kNotFound
  // where there is no index.html, kInvalidArgument where that has not exactly one <base href="/ui/">,
  // kResourceExhausted beyond the bounds; each names the folder.
  [[nodiscard]] static Result<WebPage> read(const std::filesystem::path& folder);

  // The file of this name within the folder, with slashes; null for another name, and for index.html.
  [[nodiscard]] const WebFile* find(std::string_view name) const;

  // index.html for an address that is `depth` folders below the page's own: its base leads there by a relative path, so
  // that the page works below whatever path a proxy puts the server. `depth` is at most kDeepest.
  [[nodiscard]] const WebFile& index(std::size_t depth) const { return index_.at(depth); }
  static constexpr std::size_t kDeepest = 12;

 private:
  std::map<std::string, WebFile, std::less<>> files_;
  std::map<std::size_t, WebFile> index_;  // by depth, 0 to kDeepest
};

// The page of `folder`; where that is empty, the one that belongs to the program that is running:
// ../share/det-operator/ui beside its folder, else ../ui. Nothing where neither is there, or, said in the log, where it
// is no page. Errors are those of WebPage::read() about `folder`.
[[nodiscard]] Result<std::optional<WebPage>> installed_web_page(const std::string& folder);

}  // namespace det::api
