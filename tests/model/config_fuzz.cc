// libFuzzer: the configuration engine on any YAML. The first byte chooses the schema, a byte 1 divides two documents.
// What was completed must be complete already, what was merged must be readable, and nothing may crash.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/yaml.h"
#include "base/yaml_lines.h"
#include "model/accept_config.h"
#include "model/schema_catalogue.h"

namespace {

using det::model::SchemaOp;
using nlohmann::json;

void insist(bool holds, const char* rule, const json& value) {
  if (holds) return;
  std::fprintf(stderr, "%s: %s\n", rule, value.dump().c_str());
  std::abort();
}

void check_schema(const det::model::NamedSchema& schema, const json& value, const json& source) {
  const auto run = [&](SchemaOp op, const json& given) { return apply_schema(schema, op, given, source, {}); };
  const bool is_sane = run(SchemaOp::kCheckSane, value).has_value();
  const auto complete = run(SchemaOp::kCheckComplete, value);
  insist(is_sane || !complete, "complete but not sane", value);
  const auto defaulted = run(SchemaOp::kDefault, value);
  insist(is_sane == defaulted.has_value(), "sane but without defaults, or the other way round", value);
  if (defaulted && schema.narrow == nullptr && schema.file != "check-grid-hyperparameter.json") {
    const auto again = run(SchemaOp::kDefault, *defaulted);
    insist(again && *again == *defaulted, "defaults of the defaults differ", *defaulted);
  }
  const auto merged = run(SchemaOp::kMerge, value);
  if (merged) insist(!merged->dump().empty(), "unprintable", *merged);
}

void check_acceptance(const json& user, const json& base) {
  const json cluster = {{"checkpoint_storage", {{"type", "directory"}, {"container_path", "/c"}}}};
  det::model::AcceptContext context;
  context.template_config = base;
  const auto accepted = accept_config(user, cluster, context);
  if (!accepted) return;
  context.template_config = nullptr;
  const auto again = accept_config(accepted->document, cluster, context);
  insist(again && again->document == accepted->document, "an accepted configuration changed", accepted->document);
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
  const auto source = middle == std::string_view::npos ? det::parse_yaml("") : det::parse_yaml(text.substr(middle + 1));
  const json below = source.value_or(json());
  check_schema(schema, *value, below);
  check_acceptance(*value, below);
  return 0;
}
