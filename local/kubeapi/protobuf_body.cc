#include "local/kubeapi/protobuf_body.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/encoding.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic("k8s\0", 4);

// One field of a message: a number, or the bytes of a string, a map entry or a message.
struct Field {
  std::uint64_t number = 0;
  std::uint64_t value = 0;
  std::string_view bytes;
};

std::optional<std::uint64_t> read_varint(std::string_view& rest) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  return std::nullopt;
}

// False when the bytes are not a message of varints and bytes.
bool each_field(std::string_view rest, const std::function<void(const Field&)>& take) {
  while (!rest.empty()) {
    const auto key = read_varint(rest);
    if (!key) return false;
    Field field{.number = *key >> 3U};
    const auto number = read_varint(rest);
    if (!number) return false;
    if ((*key & 7U) == 0) {
      field.value = *number;
    } else if ((*key & 7U) == 2 && *number <= rest.size()) {
      field.bytes = rest.substr(0, *number);
      rest.remove_prefix(*number);
    } else {
      return false;
    }
    take(field);
  }
  return true;
}

// map<string, string|bytes>: entries of a key (1) and a value (2).
bool add_entry(json& map, std::string_view entry, bool as_base64) {
  std::string key;
  std::string value;
  const bool right = each_field(entry, [&](const Field& field) { (field.number == 1 ? key : value) = field.bytes; });
  map[key] = as_base64 ? base64_encode(value) : value;
  return right;
}

bool read_meta(std::string_view bytes, json& meta) {
  bool right = true;
  right &= each_field(bytes, [&](const Field& field) {
    if (field.bytes.empty()) return;
    if (field.number == 1) meta["name"] = field.bytes;
    if (field.number == 2) meta["generateName"] = field.bytes;
    if (field.number == 3) meta["namespace"] = field.bytes;
    if (field.number == 11) right &= add_entry(meta["labels"], field.bytes, false);
    if (field.number == 12) right &= add_entry(meta["annotations"], field.bytes, false);
  });
  return right;
}

bool read_object(const std::string& kind, std::string_view bytes, json& object) {
  bool right = true;
  object["metadata"] = json::object();
  right &= each_field(bytes, [&](const Field& field) {
    if (field.number == 1) right &= read_meta(field.bytes, object["metadata"]);
    if (kind == "ConfigMap") {
      if (field.number == 2) right &= add_entry(object["data"], field.bytes, false);
      if (field.number == 3) right &= add_entry(object["binaryData"], field.bytes, true);
      if (field.number == 4) object["immutable"] = field.value != 0;
    }
    if (kind == "Secret") {
      if (field.number == 2) right &= add_entry(object["data"], field.bytes, true);
      if (field.number == 3) object["type"] = field.bytes;
      if (field.number == 4) right &= add_entry(object["stringData"], field.bytes, false);
      if (field.number == 5) object["immutable"] = field.value != 0;
    }
  });
  return right;
}

}  // namespace

bool is_protobuf(const http::Request& request) {
  return request.headers.find("Content-Type").value_or("").starts_with("application/vnd.kubernetes.protobuf");
}

ApiResult<json> decode_protobuf(std::string_view bytes) {
  const auto wrong = [] { return std::unexpected(bad_request("the body is not a Kubernetes protobuf message")); };
  if (!bytes.starts_with(kMagic)) return wrong();
  // runtime.Unknown: the type (1) and the object's own bytes (2).
  std::string_view type;
  std::string_view raw;
  bool right = each_field(bytes.substr(kMagic.size()), [&](const Field& field) {
    if (field.number == 1) type = field.bytes;
    if (field.number == 2) raw = field.bytes;
  });
  std::string version;
  std::string kind;
  right = right && each_field(type, [&](const Field& field) { (field.number == 1 ? version : kind) = field.bytes; });
  if (!right) return wrong();
  const bool is_known =
      version == "v1" && (kind == "Namespace" || kind == "ConfigMap" || kind == "Secret" || kind == "ServiceAccount");
  if (!is_known) {
    return std::unexpected(unsupported_media_type(
        "the embedded Kubernetes API reads protobuf only for Namespace, ConfigMap, Secret and ServiceAccount; send "
        "application/json"));
  }
  json object = {{"apiVersion", version}, {"kind", kind}};
  if (!read_object(kind, raw, object)) return wrong();
  return object;
}

}  // namespace det::local::kubeapi
