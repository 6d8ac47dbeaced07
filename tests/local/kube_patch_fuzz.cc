// Patches and schemas from bytes: the first byte chooses, then three texts end with NUL: object, patch, schema.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "local/kubeapi/patch.h"
#include "local/kubeapi/protobuf_body.h"
#include "local/kubeapi/schema.h"

namespace {

using namespace det::local::kubeapi;

std::string_view take(std::string_view& rest) {
  const auto end = std::min(rest.find('\0'), rest.size());
  const auto text = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  if (rest.empty()) return 0;
  const auto choice = static_cast<unsigned char>(rest.front()) % 4;
  rest.remove_prefix(1);
  if (choice == 3) {
    (void)decode_protobuf(rest);
    return 0;
  }
  const auto object = parse_json(take(rest));
  const auto patch = parse_json(take(rest));
  const auto source = parse_json(take(rest));
  if (!object || !patch || !object->is_object()) return 0;
  auto changed = apply_patch(static_cast<PatchKind>(choice), *object, *patch, {"", "pods", "Pod", "p"});
  if (!changed || !source) return 0;
  std::vector<FieldError> errors;
  const Schema schema = compile_schema(*source, "s", errors);
  if (!errors.empty()) return 0;
  (void)prune(schema, *changed);
  fill_defaults(schema, *changed);
  validate(schema, *changed, "", errors);
  validate_rules(schema, *changed, nullptr, "", errors);
  validate_rules(schema, *changed, &*object, "", errors);
  (void)dump(*changed);
  // What was pruned once has nothing left to prune.
  auto again = *changed;
  if (!prune(schema, again).empty()) __builtin_trap();
  return 0;
}
