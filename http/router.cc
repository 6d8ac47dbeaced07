#include "http/router.h"

#include <algorithm>
#include <functional>
#include <map>

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace det::http {

// A tree by segments. A node owns the routes of the paths that end at it.
struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> text;
  std::unique_ptr<Node> any;   // {name}
  std::unique_ptr<Node> rest;  // {name...}
  std::map<std::string, Route, std::less<>> routes;
  std::vector<std::string> names;  // of the pattern's parameters, in order
  std::string pattern;

  // The deepest pattern for segments[at...]; what parameters match is pushed on `values`.
  [[nodiscard]] const Node* find(const std::vector<std::string>& segments, std::size_t at,
                                 std::vector<std::string>& values) const {
    if (at == segments.size()) {
      if (!routes.empty()) return this;
      return match_rest(segments, at, values);
    }
    if (const auto child = text.find(segments[at]); child != text.end()) {
      if (const Node* found = child->second->find(segments, at + 1, values)) return found;
    }
    if (any != nullptr && !segments[at].empty()) {
      values.push_back(segments[at]);
      if (const Node* found = any->find(segments, at + 1, values)) return found;
      values.pop_back();
    }
    return match_rest(segments, at, values);
  }

  [[nodiscard]] const Node* match_rest(const std::vector<std::string>& segments, std::size_t at,
                                       std::vector<std::string>& values) const {
    if (rest == nullptr) return nullptr;
    std::string remaining;
    for (std::size_t i = at; i < segments.size(); ++i) remaining += (i == at ? "" : "/") + segments[i];
    values.push_back(std::move(remaining));
    return rest.get();
  }

  [[nodiscard]] std::string allowed_methods() const {
    std::string methods;
    for (const auto& [method, route] : routes) methods += (methods.empty() ? "" : ", ") + method;
    return methods;
  }
};

namespace {

// Nobody has been asked who he is.
constexpr std::size_t kUnknownLimit = std::size_t{64} << 10;

Task<Response> default_not_found(const Request& request) {
  const nlohmann::json body = {{"message", "api not found: " + request.method + " " + request.path}};
  co_return Response::json(body.dump(), 404);
}

Task<Response> default_wrong_method(const Request& request) {
  const nlohmann::json body = {{"message", "method not allowed: " + request.method + " " + request.path}};
  co_return Response::json(body.dump(), 405);
}

}  // namespace

Router::Router() : root_(std::make_unique<Node>()) {
  not_found_ = {.handler = default_not_found, .options = {.body_limit = kUnknownLimit}, .name = "unknown path"};
  wrong_method_ = {.handler = default_wrong_method, .options = {.body_limit = kUnknownLimit}, .name = "wrong method"};
}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

void Router::add(std::string method, std::string_view pattern, Handler handler, RouteOptions options) {
  DET_CHECK(pattern.starts_with('/'), "a route's pattern begins with a slash");
  Node* node = root_.get();
  std::vector<std::string> names;
  std::string_view left = pattern.substr(1);
  while (!left.empty()) {
    const auto slash = left.find('/');
    const std::string_view segment = left.substr(0, slash);
    left = slash == std::string_view::npos ? std::string_view() : left.substr(slash + 1);
    std::unique_ptr<Node>* child = nullptr;
    if (segment.starts_with('{') && segment.ends_with("...}")) {
      DET_CHECK(left.empty(), "{name...} is the last segment of a pattern");
      names.emplace_back(segment.substr(1, segment.size() - 5));
      child = &node->rest;
    } else if (segment.starts_with('{') && segment.ends_with('}')) {
      names.emplace_back(segment.substr(1, segment.size() - 2));
      child = &node->any;
    } else {
      child = &node->text[std::string(segment)];
    }
    if (*child == nullptr) *child = std::make_unique<Node>();
    node = child->get();
  }
  DET_CHECK(node->routes.empty() || node->names == names, "one path has one set of parameter names");
  node->names = std::move(names);
  node->pattern = std::string(pattern);
  Route route{.handler = std::move(handler), .options = std::move(options), .name = method + " " + node->pattern};
  const bool added = node->routes.emplace(std::move(method), std::move(route)).second;
  DET_CHECK(added, "a route is added once");
}

Router::Match Router::find(std::string_view method, const std::vector<std::string>& segments) const {
  Match match;
  std::vector<std::string> values;
  const Node* node = root_->find(segments, 0, values);
  if (node == nullptr || node->routes.empty()) {
    match.route = &not_found_;
    return match;
  }
  for (std::size_t i = 0; i < node->names.size(); ++i) match.params.add(node->names[i], std::move(values[i]));
  auto route = node->routes.find(method);
  if (route == node->routes.end() && method == "HEAD") route = node->routes.find("GET");
  if (route == node->routes.end()) route = node->routes.find("*");
  if (route == node->routes.end()) {
    match.route = &wrong_method_;
    match.allow = node->allowed_methods();
    return match;
  }
  match.route = &route->second;
  return match;
}

std::vector<std::string> Router::list() const {
  std::vector<std::string> lines;
  const std::function<void(const Node&)> visit = [&](const Node& node) {
    for (const auto& [method, route] : node.routes) lines.push_back(method + " " + node.pattern);
    for (const auto& [segment, child] : node.text) visit(*child);
    if (node.any) visit(*node.any);
    if (node.rest) visit(*node.rest);
  };
  visit(*root_);
  std::ranges::sort(lines);
  return lines;
}

}  // namespace det::http
