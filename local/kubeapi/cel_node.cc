#include "local/kubeapi/cel_node.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <span>
#include <utility>

namespace det::local::kubeapi {
namespace {

using Kind = CelNode::Kind;
using Node = std::unique_ptr<CelNode>;

constexpr std::size_t kLongest = 4096;
constexpr int kDeepest = 40;

// From the weakest to the strongest.
constexpr std::array<std::array<std::string_view, 6>, 3> kOperators = {
    {{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">"}}};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

Node make(Kind kind, std::string text, std::vector<Node> children) {
  auto node = std::make_unique<CelNode>();
  node->kind = kind;
  node->text = std::move(text);
  node->children = std::move(children);
  return node;
}

template <typename... Children>
std::vector<Node> list_of(Children... children) {
  std::vector<Node> list;
  (list.push_back(std::move(children)), ...);
  return list;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  Node whole() {
    Node node = choice();
    skip_space();
    return rest_.empty() ? std::move(node) : nullptr;
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_[0])) != 0) rest_.remove_prefix(1);
  }
  bool take(std::string_view symbol) {
    skip_space();
    if (!rest_.starts_with(symbol)) return false;
    rest_.remove_prefix(symbol.size());
    return true;
  }
  std::string word() {
    skip_space();
    const auto end = std::ranges::find_if_not(rest_, is_word);
    std::string name(rest_.begin(), end);
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return {};
    rest_.remove_prefix(name.size());
    return name;
  }

  Node choice() {
    if (++depth_ > kDeepest) return nullptr;
    Node node = binary(0);
    if (node != nullptr && take("?")) {
      Node yes = choice();
      Node no = yes != nullptr && take(":") ? choice() : nullptr;
      node = no == nullptr ? nullptr : make(Kind::kChoice, "", list_of(std::move(node), std::move(yes), std::move(no)));
    }
    --depth_;
    return node;
  }

  Node binary(std::size_t level) {
    if (level == kOperators.size()) return unary();
    Node left = binary(level + 1);
    while (left != nullptr) {
      const std::string_view* found = nullptr;
      for (const std::string_view& symbol : kOperators[level]) {
        if (found == nullptr && !symbol.empty() && take(symbol)) found = &symbol;
      }
      if (found == nullptr) break;
      Node right = binary(level + 1);
      if (right == nullptr) return nullptr;
      left = make(Kind::kBinary, std::string(*found), list_of(std::move(left), std::move(right)));
    }
    return left;
  }

  Node unary() {
    skip_space();
    if (rest_.starts_with("!") && !rest_.starts_with("!=")) {
      rest_.remove_prefix(1);
      if (++depth_ > kDeepest) return nullptr;
      Node inner = unary();
      --depth_;
      return inner == nullptr ? nullptr : make(Kind::kNot, "", list_of(std::move(inner)));
    }
    Node node = primary();
    while (node != nullptr && take(".")) node = member(std::move(node));
    return node;
  }

  // After the dot.
  Node member(Node object) {
    const std::string name = word();
    if (name.empty()) return nullptr;
    if (!take("(")) return make(Kind::kField, name, list_of(std::move(object)));
    if (name == "size") return take(")") ? make(Kind::kSize, "", list_of(std::move(object))) : nullptr;
    if (name != "filter") return nullptr;
    const std::string variable = word();
    if (variable.empty() || !take(",")) return nullptr;
    Node condition = choice();
    if (condition == nullptr || !take(")")) return nullptr;
    return make(Kind::kFilter, variable, list_of(std::move(object), std::move(condition)));
  }

  Node primary() {
    skip_space();
    if (take("(")) {
      Node inner = choice();
      return take(")") ? std::move(inner) : nullptr;
    }
    if (take("[")) return list();
    if (!rest_.empty() && (rest_[0] == '\'' || rest_[0] == '"')) return text();
    if (!rest_.empty() && (rest_[0] == '-' || std::isdigit(static_cast<unsigned char>(rest_[0])) != 0)) return number();
    const std::string name = word();
    if (name == "true" || name == "false") return value(name == "true");
    if (name == "null") return value(nullptr);
    if (name == "has") return has();
    return name.empty() ? nullptr : make(Kind::kName, name, {});
  }

  static Node value(nlohmann::json constant) {
    Node node = make(Kind::kValue, "", {});
    node->value = std::move(constant);
    return node;
  }

  Node has() {
    Node inner = take("(") ? unary() : nullptr;
    if (inner == nullptr || inner->kind != Kind::kField || !take(")")) return nullptr;
    inner->kind = Kind::kHas;
    return inner;
  }

  Node list() {
    Node node = make(Kind::kList, "", {});
    if (take("]")) return node;
    for (;;) {
      Node item = choice();
      if (item == nullptr) return nullptr;
      node->children.push_back(std::move(item));
      if (take("]")) return node;
      if (!take(",")) return nullptr;
    }
  }

  // Without escapes.
  Node text() {
    const char mark = rest_[0];
    const std::size_t end = rest_.find(mark, 1);
    if (end == std::string_view::npos) return nullptr;
    const std::string_view inner = rest_.substr(1, end - 1);
    if (inner.find('\\') != std::string_view::npos) return nullptr;
    rest_.remove_prefix(end + 1);
    return value(std::string(inner));
  }

  Node number() {
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), whole);
    if (error != std::errc()) return nullptr;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    // 1.5, 1e3 and 1u are other types.
    if (!rest_.empty() && (rest_[0] == '.' || is_word(rest_[0]))) return nullptr;
    return value(whole);
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

std::unique_ptr<CelNode> parse_cel(std::string_view text) {
  return text.size() > kLongest ? nullptr : Reader(text).whole();
}

}  // namespace det::local::kubeapi
