#pragma once

// The file of tokens that this command line shares with the Python one: auth.json, form 2. Every change reads, changes
// and replaces the file under the lock that the other one takes too. Blocks for as long as that takes; the io thread of
// a command line may.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "cli/world.h"

namespace det::cli {

class TokenStore {
 public:
  // The file of `world`'s user (DET_DEBUG_CONFIG_PATH, XDG_CONFIG_HOME or ~/.config) and the entries of one master.
  // `master_url` is canonical.
  TokenStore(const World& world, std::string master_url);
  // The file in `folder`.
  TokenStore(const std::filesystem::path& folder, std::string master_url);

  [[nodiscard]] Result<std::optional<std::string>> active_user() const;
  [[nodiscard]] Result<std::optional<std::string>> token(const std::string& user) const;
  [[nodiscard]] Result<std::vector<std::string>> users() const;
  Status set_token(const std::string& user, const std::string& token);
  Status set_active(const std::string& user);
  Status clear_active();
  Status drop(const std::string& user);

  [[nodiscard]] const std::filesystem::path& file() const { return file_; }

 private:
  template <typename Change>
  Status change(Change apply);
  [[nodiscard]] Result<nlohmann::json> read() const;
  [[nodiscard]] Result<nlohmann::json> entries() const;

  std::filesystem::path file_;
  std::string master_;
};

// The folder that auth.json and certs.json are in.
[[nodiscard]] std::filesystem::path config_folder(const World& world);
[[nodiscard]] std::filesystem::path config_folder(
    const std::function<std::optional<std::string>(const std::string& name)>& variable,
    const std::filesystem::path& home);

}  // namespace det::cli
