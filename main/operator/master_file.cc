#include "main/operator/master_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/yaml.h"

namespace det::main {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClientSecret = "DET_OIDC_CLIENT_SECRET";  // upstream's, too

// Where the operator's image has them (scripts/image-root.sh).
constexpr const char* kImageWheels = "/usr/share/det-operator/wheels";

Result<std::string> file_text(const fs::path& path, const std::string& option) {
  std::error_code unknown;
  if (fs::is_directory(path, unknown)) {  // as a kubelet makes where a mounted file is missing
    return fail(ErrorCode::kNotFound, option + ": " + path.string() + " is a folder, not a file");
  }
  std::ifstream file(path);
  if (!file) return fail(ErrorCode::kNotFound, option + ": cannot read " + path.string());
  return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

// Puts `text` at the dotted key. False when something that is no object stands in the way.
bool put(nlohmann::json& yaml, std::string key, std::string text) {
  nlohmann::json* place = &yaml;
  for (std::size_t dot = key.find('.'); dot != std::string::npos; dot = key.find('.')) {
    if (!place->is_object() && !place->is_null()) return false;
    place = &(*place)[key.substr(0, dot)];
    key.erase(0, dot + 1);
  }
  if (!place->is_object() && !place->is_null()) return false;
  (*place)[key] = std::move(text);
  return true;
}

// The kubelet keeps its own entries in a mounted Secret; their names begin with a dot.
Status add_secrets(const std::string& folder, nlohmann::json& yaml) {
  const std::string option = "--config-secrets";
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string key = entry->path().filename().string();
    if (key.starts_with('.') || !entry->is_regular_file()) continue;
    auto text = file_text(entry->path(), option);
    DET_TRY(text);
    while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
    if (!put(yaml, key, std::move(*text))) {
      return fail(ErrorCode::kInvalidArgument, option + ": " + entry->path().string() +
                                                   ": master.yaml has something else than an object on the way");
    }
  }
  if (error) return fail(ErrorCode::kNotFound, option + ": cannot read " + folder + ": " + error.message());
  return {};
}

// Where nothing else says it.
void add_client_secret(nlohmann::json& yaml) {
  const char* const secret = std::getenv(kClientSecret);
  if (secret == nullptr || !yaml.is_object() || !yaml.contains("oidc") || !yaml["oidc"].is_object()) return;
  nlohmann::json& held = yaml["oidc"]["client_secret"];
  if (held.is_null() || held == "") held = secret;
}

}  // namespace

Result<model::MasterConfigResult> read_master_file(const std::string& path, nlohmann::json defaults,
                                                   const std::string& secrets_folder) {
  std::string written;
  if (!path.empty()) {
    auto text = file_text(path, "--config");
    DET_TRY(text);
    auto yaml = parse_yaml(*text);
    if (!yaml) return std::unexpected(with_context(std::move(yaml).error(), "--config: " + path));
    if (defaults.is_null()) {
      defaults = std::move(*yaml);
    } else if (!yaml->is_null()) {
      defaults.merge_patch(*yaml);
    }
    written = *std::move(text);
  }
  if (!secrets_folder.empty()) {
    DET_TRY(add_secrets(secrets_folder, defaults));
  }
  add_client_secret(defaults);
  auto master = model::read_master_config(defaults, written);
  if (!master) return std::unexpected(with_context(std::move(master).error(), "--config: " + path));
  if (model::OidcConfig& oidc = master->config.oidc; oidc.enabled && !oidc.ca_file.empty()) {
    auto pem = file_text(oidc.ca_file, "--config: " + path + ": oidc.ca_file");
    DET_TRY(pem);
    oidc.ca_pem = *std::move(pem);
  }
  std::error_code ignored;
  std::string& wheelhouse = master->config.harness.wheelhouse;
  if (wheelhouse.empty() && fs::is_directory(kImageWheels, ignored)) wheelhouse = kImageWheels;
  return master;
}

}  // namespace det::main
