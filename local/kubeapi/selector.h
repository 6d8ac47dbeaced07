#pragma once

// Label and field selectors of lists and watches. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "local/kubeapi/api_error.h"
#include "local/kubeapi/resource_type.h"

namespace det::local::kubeapi {

class LabelSelector {
 public:
  // "a=b,c!=d,e in (f,g),h notin (i),j,!k". BadRequest says what cannot be read.
  [[nodiscard]] static ApiResult<LabelSelector> parse(std::string_view text);
  [[nodiscard]] bool matches(const nlohmann::json& object) const;
  [[nodiscard]] bool empty() const { return requirements_.empty(); }

 private:
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kNotExists };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };
  static ApiResult<Requirement> parse_one(std::string_view text);
  std::vector<Requirement> requirements_;
};

class FieldSelector {
 public:
  // "spec.nodeName=n,status.phase!=Running". BadRequest for fields that `type` does not offer.
  [[nodiscard]] static ApiResult<FieldSelector> parse(std::string_view text, const ResourceType& type);
  [[nodiscard]] bool matches(const nlohmann::json& object) const;
  [[nodiscard]] bool empty() const { return requirements_.empty(); }

 private:
  struct Requirement {
    std::string path;
    std::string value;
    bool is_equal = true;
  };
  std::vector<Requirement> requirements_;
};

// Both; an object that does not match does not exist for the one who asks.
struct Selection {
  LabelSelector labels;
  FieldSelector fields;
  [[nodiscard]] bool empty() const { return labels.empty() && fields.empty(); }
  [[nodiscard]] bool matches(const nlohmann::json& object) const {
    return labels.matches(object) && fields.matches(object);
  }
};

}  // namespace det::local::kubeapi
