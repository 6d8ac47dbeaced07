#include "main/operator/master_file.h"

#include <fstream>
#include <iterator>

#include "base/yaml.h"

namespace det::main {

Result<model::MasterConfigResult> read_master_file(const std::string& path, nlohmann::json defaults) {
  if (!path.empty()) {
    std::ifstream file(path);
    if (!file) return fail(ErrorCode::kNotFound, "--config: cannot read " + path);
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    auto yaml = parse_yaml(text);
    if (!yaml) return std::unexpected(with_context(std::move(yaml).error(), "--config: " + path));
    if (defaults.is_null()) {
      defaults = std::move(*yaml);
    } else if (!yaml->is_null()) {
      defaults.merge_patch(*yaml);
    }
  }
  auto master = model::read_master_config(defaults);
  if (!master) return std::unexpected(with_context(std::move(master).error(), "--config: " + path));
  return master;
}

}  // namespace det::main
