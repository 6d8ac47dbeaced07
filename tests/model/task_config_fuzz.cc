// libFuzzer: the configuration of a task, any YAML. The first byte chooses the kind of task, a byte 1 divides the
// configuration from its template.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/yaml.h"
#include "tests/model/taskconf/task_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto type = static_cast<det::model::TaskType>(data[0] % 6);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t middle = text.find('\x01');
  const auto user = det::parse_yaml(text.substr(0, middle));
  if (!user) return 0;
  const auto below = det::parse_yaml(middle == std::string_view::npos ? "" : text.substr(middle + 1));
  const std::string broken = det::model::broken_task_rule(type, *user, below.value_or(nlohmann::json()));
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}
