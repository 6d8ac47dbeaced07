// Requests to the embedded Kubernetes API: the first byte chooses a type of objects, or paths and selectors.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "local/kubeapi/json_path.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/object_store.h"
#include "local/kubeapi/operations.h"
#include "local/kubeapi/patch.h"
#include "local/kubeapi/selector.h"
#include "local/kubeapi/staging.h"

namespace {

using namespace det::local::kubeapi;

// An object of any built-in type is made, patched as anybody might, and removed. What is not an object of JSON never
// comes so far.
void try_object(unsigned char choice, std::string_view text) {
  static const Registry registry;
  static const auto types = registry.all();
  const auto end = std::min(text.find('\0'), text.size());
  auto object = parse_json(text.substr(0, end));
  if (!object || !object->is_object()) return;
  boost::asio::io_context io;
  const ObjectStore store(io.get_executor(), 10, 1 << 20);
  Staging staging(store, det::WallTime{});
  staging.put({.collection = "namespaces", .ns = {}, .name = "ns"}, {{"metadata", {{"name", "ns"}}}});
  Target target{.type = types[choice % types.size()], .ns = "", .name = "", .subresource = ""};
  if (target.type->is_namespaced) target.ns = "ns";
  std::vector<std::string> warnings;
  const std::size_t before = staging.changes().size();
  (void)create(staging, target, std::move(*object), warnings);
  if (staging.changes().size() == before) return;
  target.name = name_of(staging.changes().back().now->value);
  if (end < text.size()) {
    if (const auto change = parse_json(text.substr(end + 1))) {
      (void)patch(staging, target, PatchKind::kMerge, *change, warnings);
      target.subresource = "status";
      (void)patch(staging, target, PatchKind::kStrategic, *change, warnings);
      target.subresource.clear();
    }
  }
  (void)remove(staging, target, {});
}

void try_path(const std::string& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto path = JsonPath::parse(text.substr(0, end));
  if (!path || end == text.size()) return;
  if (const auto object = parse_json(std::string_view(text).substr(end + 1))) (void)path->find(*object);
}

void try_selector(std::string_view text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto selector = LabelSelector::parse(text.substr(0, end));
  if (!selector || end == text.size()) return;
  if (const auto object = parse_json(text.substr(end + 1)); object && object->is_object())
    (void)selector->matches(*object);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 255:
      try_path(std::string(text));
      break;
    case 254:
      try_selector(text);
      break;
    default:
      try_object(data[0], text);
      break;
  }
  return 0;
}
