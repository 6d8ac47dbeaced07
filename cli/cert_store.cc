#include "cli/cert_store.h"

#include <fstream>
#include <sstream>

#include "cli/locked_file.h"
#include "cli/text.h"
#include "cli/token_store.h"

namespace det::cli {
namespace {

std::filesystem::path file_of(const World& world) {
  return config_folder(world) / "certs.json";
}

// One that cannot be read has nothing that could be trusted.
Json read_store(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  Json store = Json::parse(text.str(), nullptr, false);
  return store.is_object() ? store : Json::object();
}

}  // namespace

std::string trusted_certificates(const World& world, const std::string& master_url) {
  return text_field(read_store(file_of(world)), master_url);
}

Status trust_certificates(const World& world, const std::string& master_url, const std::string& pem) {
  const auto file = file_of(world);
  return replace_locked(file, [&]() -> Result<std::string> {
    Json store = read_store(file);
    store[master_url] = pem;
    return store.dump(4);
  });
}

}  // namespace det::cli
