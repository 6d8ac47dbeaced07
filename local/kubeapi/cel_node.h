#pragma once

// The tree of a CEL rule (local/kubeapi/cel.h), and its reader. Pure; any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::local::kubeapi {

struct CelNode {
  enum class Kind : std::uint8_t {
    kValue,   // `value`
    kName,    // `text`: self, oldSelf, or the variable of a filter
    kField,   // children[0].text
    kHas,     // has(children[0].text)
    kNot,     // !children[0]
    kBinary,  // children[0] text children[1]
    kChoice,  // children[0] ? children[1] : children[2]
    kList,    // [children...]
    kSize,    // children[0].size()
    kFilter,  // children[0].filter(text, children[1])
  };

  Kind kind = Kind::kValue;
  std::string text;
  nlohmann::json value;
  std::vector<std::unique_ptr<CelNode>> children;
};

// nullptr when the text is not understood.
[[nodiscard]] std::unique_ptr<CelNode> parse_cel(std::string_view text);

}  // namespace det::local::kubeapi
