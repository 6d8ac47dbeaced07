#pragma once

// Model code on its way to the server: the files of a folder, less what .detignore leaves out, in the order and form in
// which the Python command line sends them. Reads files; blocks.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/text.h"

namespace det::cli {

// 95 MiB: what the Python command line takes, so that the same folders work with both.
inline constexpr std::uint64_t kMaxContextBytes = 99'614'720;

struct ContextFile {
  std::string path;  // relative, '/' between its parts
  bool is_folder = false;
  std::uint32_t mode = 0;  // whole st_mode
  std::int64_t mtime = 0;  // seconds since 1970
  std::string content;

  bool operator==(const ContextFile&) const = default;
};

struct Context {
  std::vector<ContextFile> files;
  std::uint64_t bytes = 0;
  std::vector<std::string> unreadable;  // skipped, one line each saying why
};

struct ContextRequest {
  std::filesystem::path folder;                 // its content, not itself; empty: none
  std::vector<std::filesystem::path> includes;  // files and folders that keep their names
};

// `progress` is called after each file. kInvalidArgument for a folder that is none, an include that cannot be read, two
// things of one name at the top, a name that is not UTF-8, and more than kMaxContextBytes.
[[nodiscard]] Result<Context> read_context(const ContextRequest& request,
                                           const std::function<void(const Context&)>& progress);

// The "modelDefinition" list of POST /api/v1/experiments.
[[nodiscard]] Json to_json(const Context& context);

}  // namespace det::cli
