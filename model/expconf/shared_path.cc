#include "model/expconf/shared_path.h"

#include <string>
#include <vector>

namespace det::model {
namespace {

// "a//b/./c/../d" -> "a/b/d", the way Go's filepath.Clean does; "" -> ".".
std::string clean_path(std::string_view path) {
  const bool is_absolute = path.starts_with('/');
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (part.empty() || part == ".") continue;
    const bool can_go_up = !parts.empty() && parts.back() != "..";
    if (part == ".." && can_go_up) {
      parts.pop_back();
    } else if (part != ".." || !is_absolute) {
      parts.push_back(part);
    }
  }
  std::string clean = is_absolute ? "/" : "";
  for (std::size_t i = 0; i < parts.size(); ++i) clean += (i == 0 ? "" : "/") + std::string(parts[i]);
  return clean.empty() ? "." : clean;
}

}  // namespace

bool stays_below(std::string_view host_path, std::string_view storage_path) {
  const std::string below = clean_path(storage_path);
  if (!below.starts_with('/')) return below != ".." && !below.starts_with("../");
  if (host_path.empty()) return true;
  const std::string host = clean_path(host_path);
  // "/data2" begins like "/data", and is another folder.
  return below == host || below.starts_with(host.ends_with('/') ? host : host + "/");
}

}  // namespace det::model
