#pragma once

// A download that goes on where a lost connection left it, where the server lets it: never of anything else than what
// it began with.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "cli/master_client.h"
#include "cli/world.h"

namespace det::cli {

// The file of a download, which goes when this does.
class DownloadFile {
 public:
  explicit DownloadFile(std::filesystem::path path);
  DownloadFile(const DownloadFile&) = delete;
  DownloadFile& operator=(const DownloadFile&) = delete;
  ~DownloadFile();

  Status write(std::string_view bytes);
  // Empty again.
  Status start_over();
  Status close();
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  [[nodiscard]] Status check() const;

  std::filesystem::path path_;
  std::ofstream out_;
};

// What the server answers to a GET of `path` in the form `accept`, whole. Where the answer has a strong entity tag, it
// is asked for the rest after a lost connection, which `world.err` is told; up to five times without a new byte. A
// server that has another version by then sends it from its beginning.
Task<Status> download_resuming(World& world, MasterClient& client, std::string path, std::string accept,
                               DownloadFile& file);

}  // namespace det::cli
