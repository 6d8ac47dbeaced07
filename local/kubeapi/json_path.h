#pragma once

// The simple JSON paths of printer columns and selectable fields: ".a.b", "['a.b']", "[0]", "[*]",
// "[?(@.type==\"Ready\")].status". Pure.

#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace det::local::kubeapi {

class JsonPath {
 public:
  // kInvalidArgument for anything else.
  [[nodiscard]] static Result<JsonPath> parse(const std::string& text);
  // Every value that is found, in order; they live as long as `object`.
  [[nodiscard]] std::vector<const nlohmann::json*> find(const nlohmann::json& object) const;

 private:
  struct Member {
    std::string name;
  };
  struct Index {
    std::size_t place;
  };
  struct All {};
  struct Where {
    std::string name;
    std::string value;
  };
  std::vector<std::variant<Member, Index, All, Where>> steps_;
};

}  // namespace det::local::kubeapi
