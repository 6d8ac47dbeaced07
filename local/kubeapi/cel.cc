#include "local/kubeapi/cel.h"

#include <deque>
#include <map>
#include <utility>

#include "local/kubeapi/cel_node.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;
using Kind = CelNode::Kind;

constexpr int kMostSteps = 100'000;  // filters within filters

using Value = const json*;  // into the object, the rule or what was computed; nullptr: it cannot be told
using Names = std::map<std::string, Value, std::less<>>;

bool knows_its_names(const CelNode& node, std::vector<std::string> names) {
  if (node.kind == Kind::kName) {
    for (const std::string& name : names) {
      if (name == node.text) return true;
    }
    return false;
  }
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    // The variable counts in the condition only.
    if (node.kind == Kind::kFilter && i == 1) names.push_back(node.text);
    if (!knows_its_names(*node.children[i], names)) return false;
  }
  return true;
}

bool names_old(const CelNode& node) {
  if (node.kind == Kind::kName && node.text == "oldSelf") return true;
  for (const auto& child : node.children) {
    if (names_old(*child)) return true;
  }
  return false;
}

class Evaluation {
 public:
  explicit Evaluation(Names names) : names_(std::move(names)) {}

  Value of(const CelNode& node) {
    if (++steps_ > kMostSteps) return nullptr;
    switch (node.kind) {
      case Kind::kValue:
        return &node.value;
      case Kind::kName:
        return names_.at(node.text);
      case Kind::kField:
      case Kind::kHas:
        return field(node);
      case Kind::kNot: {
        const Value inner = of(*node.children[0]);
        if (!inner || !inner->is_boolean()) return nullptr;
        return made(!inner->get<bool>());
      }
      case Kind::kBinary:
        return binary(node);
      case Kind::kChoice: {
        const Value condition = of(*node.children[0]);
        if (!condition || !condition->is_boolean()) return nullptr;
        return of(*node.children[condition->get<bool>() ? 1 : 2]);
      }
      case Kind::kList:
        return list(node);
      case Kind::kSize: {
        const Value inner = of(*node.children[0]);
        if (!inner) return nullptr;
        if (inner->is_structured()) return made(static_cast<std::int64_t>(inner->size()));
        return nullptr;
      }
      case Kind::kFilter:
        return filter(node);
    }
    return nullptr;
  }

 private:
  Value field(const CelNode& node) {
    const Value object = of(*node.children[0]);
    if (!object || !object->is_object()) return nullptr;
    const auto found = object->find(node.text);
    // "Null valued fields are treated as absent fields in CEL expressions" (apiextensions/v1, ValidationRule).
    const bool is_there = found != object->end() && !found->is_null();
    if (node.kind == Kind::kHas) return made(is_there);
    return is_there ? &*found : nullptr;
  }

  // One side that decides does so whatever the other is.
  Value logical(const CelNode& node, bool decides) {
    bool is_unknown = false;
    for (const auto& child : node.children) {
      const Value side = of(*child);
      if (!side || !side->is_boolean()) {
        is_unknown = true;
      } else if (side->get<bool>() == decides) {
        return made(decides);
      }
    }
    if (is_unknown) return nullptr;
    return made(!decides);
  }

  Value binary(const CelNode& node) {
    if (node.text == "&&") return logical(node, false);
    if (node.text == "||") return logical(node, true);
    const Value left = of(*node.children[0]);
    const Value right = of(*node.children[1]);
    if (!left || !right) return nullptr;
    if (node.text == "==") return made(*left == *right);
    if (node.text == "!=") return made(*left != *right);
    const bool comparable = (left->is_number() && right->is_number()) || (left->is_string() && right->is_string());
    if (!comparable) return nullptr;
    if (node.text == "<") return made(*left < *right);
    if (node.text == "<=") return made(*left <= *right);
    return made(node.text == ">" ? *left > *right : *left >= *right);
  }

  Value list(const CelNode& node) {
    json items = json::array();
    for (const auto& child : node.children) {
      const Value item = of(*child);
      if (!item) return nullptr;
      items.push_back(*item);
    }
    return made(std::move(items));
  }

  Value filter(const CelNode& node) {
    const Value from = of(*node.children[0]);
    if (!from || !from->is_array()) return nullptr;
    json kept = json::array();
    for (const json& item : *from) {
      names_[node.text] = &item;
      const Value keeps = of(*node.children[1]);
      if (!keeps || !keeps->is_boolean()) return nullptr;
      if (keeps->get<bool>()) kept.push_back(item);
    }
    return made(std::move(kept));
  }

  Value made(json value) { return &computed_.emplace_back(std::move(value)); }

  Names names_;
  std::deque<json> computed_;  // as long as anything points into it
  int steps_ = 0;
};

}  // namespace

CelRule::~CelRule() = default;

std::shared_ptr<const CelRule> CelRule::parse(std::string_view text) {
  auto root = parse_cel(text);
  if (root == nullptr || !knows_its_names(*root, {"self", "oldSelf"})) return nullptr;
  std::shared_ptr<CelRule> rule(new CelRule());
  rule->compares_with_old_ = names_old(*root);
  rule->root_ = std::move(root);
  return rule;
}

CelRule::Verdict CelRule::evaluate(const json& self, const json* old_self) const {
  static const json kNothing;
  Evaluation evaluation({{"self", &self}, {"oldSelf", old_self == nullptr ? &kNothing : old_self}});
  const Value verdict = evaluation.of(*root_);
  if (!verdict || !verdict->is_boolean()) return Verdict::kCannotTell;
  return verdict->get<bool>() ? Verdict::kHolds : Verdict::kFails;
}

}  // namespace det::local::kubeapi
