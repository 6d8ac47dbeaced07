#pragma once

// Files of web pages in memory, and how they are read from a folder. Read at start; then only read.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace det::api {

// A file of a page. What is empty of `gzip` and `brotli` is not there.
struct WebFile {
  std::string type;  // of its content, as Content-Type says it
  std::string hash;  // hexadecimal, of `plain`: what its ETags are made of
  std::string plain;
  std::string gzip;
  std::string brotli;
  bool is_immutable = false;  // its name changes with its content

  bool operator==(const WebFile&) const = default;
};

// The folder whose files' names change with their content.
inline constexpr std::string_view kHashedFolder = "assets/";

// A file of that name within its folder, with type and hash.
[[nodiscard]] WebFile web_file(std::string_view name, std::string text);

struct FolderBounds {
  std::size_t files = 0;
  std::size_t bytes = 0;                                  // of all files together
  std::string hint;                                       // what the folder should be, for the error
  std::function<bool(std::string_view name)> wants = {};  // empty: all
};
// Name within the folder, with slashes -> content, of the regular files that are wanted; links are passed over.
// kResourceExhausted beyond the bounds, kUnavailable for what cannot be read; each names the folder.
[[nodiscard]] Result<std::map<std::string, std::string, std::less<>>> texts_below(const std::filesystem::path& folder,
                                                                                  const FolderBounds& bounds);

}  // namespace det::api
