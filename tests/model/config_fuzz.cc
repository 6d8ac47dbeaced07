// libFuzzer: the configuration engine on any YAML. The first byte chooses the schema, a byte 1 divides two documents.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/yaml.h"
#include "base/yaml_lines.h"
#include "tests/model/expconf/config_rules.h"

namespace {

void insist(const std::string& broken) {
  if (broken.empty()) return;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto schemas = det::model::experiment_schemas();
  const auto& schema = schemas[data[0] % schemas.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t middle = text.find('\x01');
  (void)det::yaml_lines(text.substr(0, middle));
  const auto value = det::parse_yaml(text.substr(0, middle));
  if (!value) return 0;
  const auto source = det::parse_yaml(middle == std::string_view::npos ? "" : text.substr(middle + 1));
  const auto below = source.value_or(nlohmann::json());
  insist(det::model::broken_schema_rule(schema, *value, below));
  insist(det::model::broken_acceptance_rule(*value, below));
  return 0;
}
