#include "cli/output_options.h"

#include "cli/yaml_text.h"

namespace det::cli {

OutputFlags add_output(CLI::App* leaf, OutputOptions& output) {
  CLI::Option* json = leaf->add_flag("--json", output.as_json, "print as JSON");
  CLI::Option* yaml = leaf->add_flag("--yaml", output.as_yaml, "print as YAML")->excludes(json);
  return {.json = json, .yaml = yaml};
}

std::string output_text(const Json& answer, const OutputOptions& output) {
  return (output.as_yaml ? yaml_text(answer) : pretty_json(answer)) + "\n";
}

}  // namespace det::cli
