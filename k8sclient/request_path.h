#pragma once

// Paths with query strings, as an API server wants them. Pure.

#include <string>
#include <string_view>

namespace det::k8s {

// Percent-encodes everything but RFC 3986's unreserved characters.
[[nodiscard]] std::string percent_encode(std::string_view text);

// Builds "path?a=1&b=2"; parameters with an empty value are left out.
class RequestPath {
 public:
  explicit RequestPath(std::string path) : text_(std::move(path)) {}
  RequestPath& with(std::string_view name, std::string_view value);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool has_query_ = false;
};

}  // namespace det::k8s
