#include "base/yaml_lines.h"

#include <sstream>
#include <vector>

#include <yaml-cpp/yaml.h>
// The event interface is not part of yaml.h.
#include <yaml-cpp/eventhandler.h>

#include "base/yaml.h"

namespace det {
namespace {

constexpr std::string_view kUnknownKeys = "additionalProperties \"";

// A map or list that is still open.
struct Level {
  std::string path;
  bool is_map = false;
  bool has_key = false;
  std::string key_path;
  std::size_t items = 0;
};

class LineIndexer final : public YAML::EventHandler {
 public:
  YamlLines take() { return std::move(lines_); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { scalar(mark, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { scalar(mark, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& text) override {
    scalar(mark, text);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    open(mark, false);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    open(mark, true);
  }
  void OnMapEnd() override { close(); }

 private:
  void scalar(const YAML::Mark& mark, const std::string& text) {
    if (!open_.empty() && open_.back().is_map && !open_.back().has_key) {
      Level& level = open_.back();
      level.has_key = true;
      level.key_path = child_path(level.path, text);
      lines_.emplace(level.key_path, mark.line + 1);
      return;
    }
    value_path(mark);
  }

  // The path of the value that begins here.
  std::string value_path(const YAML::Mark& mark) {
    if (open_.empty()) return "";
    Level& level = open_.back();
    if (level.is_map) {
      level.has_key = false;
      return level.key_path;
    }
    std::string path = item_path(level.path, level.items++);
    lines_.emplace(path, mark.line + 1);
    return path;
  }

  void open(const YAML::Mark& mark, bool is_map) {
    std::string path = value_path(mark);
    open_.push_back({.path = std::move(path), .is_map = is_map, .has_key = false, .key_path = {}, .items = 0});
  }
  void close() { open_.pop_back(); }

  YamlLines lines_;
  std::vector<Level> open_;
};

// The key named first in "additionalProperties "a", "b" not allowed"; empty for any other message.
std::string_view first_unknown_key(std::string_view message) {
  if (!message.starts_with(kUnknownKeys)) return {};
  message.remove_prefix(kUnknownKeys.size());
  return message.substr(0, message.find('"'));
}

}  // namespace

YamlLines yaml_lines(std::string_view text) {
  // Its limits hold here too: what it refuses is not read again.
  if (!parse_yaml(text)) return {};
  try {
    std::istringstream input{std::string(text)};
    YAML::Parser parser(input);
    LineIndexer indexer;
    parser.HandleNextDocument(indexer);
    return indexer.take();
  } catch (const YAML::Exception&) {
    return {};
  }
}

std::optional<int> line_of(const YamlLines& lines, std::string_view path) {
  while (!path.empty()) {
    if (const auto it = lines.find(path); it != lines.end()) return it->second;
    const std::size_t end = path.find_last_of(".[");
    path = path.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return std::nullopt;
}

void add_lines(FieldErrors& errors, std::string_view yaml) {
  const YamlLines lines = yaml_lines(yaml);
  for (Error& error : errors) {
    const std::string_view key = first_unknown_key(error.message);
    const auto line = line_of(lines, key.empty() ? error.field : child_path(error.field, key));
    if (line) error.message += " (line " + std::to_string(*line) + ")";
  }
}

}  // namespace det
