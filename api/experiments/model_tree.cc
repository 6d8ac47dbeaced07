#include "api/experiments/model_tree.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/wall_time.h"

namespace det::api {

namespace {

struct Node {
  const TarEntry* entry = nullptr;  // null: a folder that the archive does not name
  std::map<std::string, Node> inside;
};

bool is_folder(const Node& node) {
  return node.entry == nullptr || node.entry->type == TarEntry::Type::kDirectory;
}

// What a browser would make of it; pages choose the highlighting by the name.
const char* content_type(const Node& node) {
  if (is_folder(node)) return "";
  return node.entry->content.find('\0') == std::string::npos ? "text/plain; charset=utf-8" : "application/octet-stream";
}

wire::Json to_json(const std::map<std::string, Node>& nodes, const std::string& folder) {
  wire::Json list = wire::Json::array();
  for (const auto& [name, node] : nodes) {
    const std::string path = folder + name;
    wire::Json one = {{"path", path},
                      {"name", name},
                      {"isDir", is_folder(node)},
                      {"contentLength", is_folder(node) ? 0 : node.entry->content.size()},
                      {"contentType", content_type(node)},
                      {"files", to_json(node.inside, path + "/")}};
    if (node.entry != nullptr) {
      one["modifiedTime"] = format_rfc3339_seconds(WallTime(std::chrono::seconds(node.entry->mtime)));
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

wire::Json model_tree(const std::vector<TarEntry>& entries) {
  Node root;
  for (const TarEntry& entry : entries) {
    Node* at = &root;
    int depth = 0;
    for (std::size_t begin = 0; begin < entry.path.size(); ++depth) {
      const std::size_t slash = depth < kDeepestFolder ? entry.path.find('/', begin) : std::string::npos;
      const std::size_t end = std::min(slash, entry.path.size());
      if (end > begin) at = &at->inside[entry.path.substr(begin, end - begin)];
      begin = end + 1;
    }
    if (at != &root) at->entry = &entry;
  }
  return to_json(root.inside, "");
}

}  // namespace det::api
