#pragma once

// Rules of x-kubernetes-validations, in the part of CEL that says which fields may change: self and oldSelf, has(),
// fields, == != < <= > >=, && || ! ?:, texts, whole numbers, true, false, null, lists, size() and filter(). A field
// that is null is not there, as on the real server. A rule that says more is not understood, and then not enforced.
// Pure; any thread.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::local::kubeapi {

struct CelNode;

class CelRule {
 public:
  // nullptr when the text is not understood, longer than 4 KiB or nested deeper than 40 levels.
  [[nodiscard]] static std::shared_ptr<const CelRule> parse(std::string_view text);
  ~CelRule();

  // Rules that compare with the old value are not asked of a new one.
  [[nodiscard]] bool compares_with_old() const { return compares_with_old_; }

  enum class Verdict : std::uint8_t { kHolds, kFails, kCannotTell };
  // `old_self` may be null when the rule does not compare. kCannotTell: it asks for a field that is not there, or
  // compares what cannot be compared; the real server refuses then, too.
  [[nodiscard]] Verdict evaluate(const nlohmann::json& self, const nlohmann::json* old_self) const;

 private:
  CelRule() = default;

  std::unique_ptr<const CelNode> root_;
  bool compares_with_old_ = false;
};

}  // namespace det::local::kubeapi
