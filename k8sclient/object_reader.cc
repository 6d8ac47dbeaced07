#include "k8sclient/object_reader.h"

#include <string>
#include <utility>

namespace det::k8s {
namespace {

using nlohmann::json;
using simdjson::dom::element;
using simdjson::dom::element_type;

class Copier {
 public:
  explicit Copier(bool drops_managed_fields) : drops_managed_fields_(drops_managed_fields) {}

  [[nodiscard]] json copy(element from) const {
    switch (from.type()) {
      case element_type::OBJECT:
        return copy_object(from.get_object().value_unsafe());
      case element_type::ARRAY:
        return copy_array(from.get_array().value_unsafe());
      case element_type::STRING:
        return std::string(from.get_string().value_unsafe());
      case element_type::INT64:
        return copy_integer(from.get_int64().value_unsafe());
      case element_type::UINT64:
        return from.get_uint64().value_unsafe();
      case element_type::DOUBLE:
        return from.get_double().value_unsafe();
      case element_type::BOOL:
        return from.get_bool().value_unsafe();
      case element_type::NULL_VALUE:
        return nullptr;
    }
    return nullptr;
  }

 private:
  // nlohmann's own reader calls what has no sign unsigned.
  static json copy_integer(std::int64_t number) {
    if (number < 0) return number;
    return static_cast<std::uint64_t>(number);
  }

  [[nodiscard]] json copy_array(simdjson::dom::array from) const {
    json to = json::array();
    auto& items = to.get_ref<json::array_t&>();
    items.reserve(from.size());
    for (const element item : from) items.push_back(copy(item));
    return to;
  }

  [[nodiscard]] json copy_object(simdjson::dom::object from) const {
    json to = json::object();
    auto& members = to.get_ref<json::object_t&>();
    for (const auto member : from) {
      if (drops_managed_fields_ && member.key == "managedFields") continue;
      members.insert_or_assign(std::string(member.key), copy(member.value));
    }
    return to;
  }

  bool drops_managed_fields_;
};

}  // namespace

std::optional<json> ObjectReader::read(std::string_view text) {
  element root;
  if (parser_.parse(text.data(), text.size()).get(root) == simdjson::SUCCESS) {
    return Copier(managed_fields_ == ManagedFields::kDrop).copy(root);
  }
  // It knows no integers of more than 64 bits, and nests less deeply.
  json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) return std::nullopt;
  return parsed;
}

}  // namespace det::k8s
