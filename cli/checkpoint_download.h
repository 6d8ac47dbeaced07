#pragma once

// Brings a checkpoint's files into a folder, through the master.

#include <string>

#include <CLI/App.hpp>

#include "cli/master_client.h"

namespace det::cli {

struct DownloadTarget {
  std::string folder;  // empty: checkpoints/UUID below the current one
  bool is_quiet = false;
};

// Adds -o and -q.
void add_download_options(CLI::App* leaf, DownloadTarget& target);
// Files, and metadata.json with what is known of them, as the Python client writes it. Says where they are.
Task<Status> download_checkpoint(World& world, MasterClient& client, std::string uuid, DownloadTarget target);

}  // namespace det::cli
