#pragma once

// ssh into a shell, through the master: the command line, and the file with its key.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace det::cli {

struct SshLogin {
  std::string program;  // ours, which carries the connection
  std::string master_url;
  std::string det_user;   // whose login the tunnel uses
  std::string cert_file;  // of DET_MASTER_CERT_FILE: absolute, "noverify", or empty
  std::string cert_name;
  std::string remote_user;  // in the pod
  std::string shell_id;
  std::filesystem::path key_file;
  std::vector<std::string> options;  // behind the host: ssh's own, or a command
};

// argv of ssh. Pure.
[[nodiscard]] std::vector<std::string> ssh_command(const SshLogin& login);
// The same as one line for a shell, or for VS Code's "Add New SSH Host". Pure.
[[nodiscard]] std::string command_line(const std::vector<std::string>& argv);

// A file of mode 0600 in a folder of its own, that goes with the object.
class KeyFile {
 public:
  // Below `temporary`.
  [[nodiscard]] static Result<KeyFile> make(const std::filesystem::path& temporary, const std::string& key);
  ~KeyFile();
  KeyFile(KeyFile&& other) noexcept;
  KeyFile& operator=(KeyFile&&) = delete;

  [[nodiscard]] std::filesystem::path path() const { return folder_ / "key"; }

 private:
  explicit KeyFile(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
};

// Writes `key` to `file`, mode 0600, in a folder that only its owner may read.
[[nodiscard]] Status keep_key(const std::filesystem::path& file, const std::string& key);

}  // namespace det::cli
