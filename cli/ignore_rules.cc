#include "cli/ignore_rules.h"

#include <span>

namespace det::cli {
namespace {

constexpr std::string_view kBuiltIn =
    "__pycache__/"
    "\n*.py[co]\n*$py.class\nterraform\nterraform_data\nterraform.tfstate*\nterraform.tfvars*\n.terraform*\n"
    ".git/\n.vscode/\n.idea/\n.mypy_cache/\n/shared_fs\n";

// The set that opens at pattern[0] == '[': its length and whether it holds `c`. Length 0: no set, a plain bracket.
std::pair<std::size_t, bool> match_set(std::string_view pattern, char c) {
  std::size_t i = 1;
  const bool is_negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (is_negated) ++i;
  const std::size_t first = i;
  bool holds = false;
  while (i < pattern.size() && (pattern[i] != ']' || i == first)) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    const char low = pattern[i];
    char high = low;
    if (i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']') {
      high = pattern[i + 2];
      i += 2;
    }
    holds = holds || (low <= c && c <= high);
    ++i;
  }
  if (i >= pattern.size()) return {0, false};
  return {i + 1, holds != is_negated};
}

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    const auto slash = path.find('/');
    if (slash != 0) parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return parts;
}

bool matches_parts(std::span<const std::string> patterns, std::span<const std::string_view> path) {
  if (patterns.empty()) return path.empty();
  if (patterns.front() == "**") {
    // At the end it means everything below, which is at least one part.
    if (patterns.size() == 1) return !path.empty();
    for (std::size_t skipped = 0; skipped <= path.size(); ++skipped) {
      if (matches_parts(patterns.subspan(1), path.subspan(skipped))) return true;
    }
    return false;
  }
  if (path.empty() || !matches_part(patterns.front(), path.front())) return false;
  return matches_parts(patterns.subspan(1), path.subspan(1));
}

std::string_view without_trailing_spaces(std::string_view line) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) {
    if (line.size() >= 2 && line[line.size() - 2] == '\\') break;
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

bool matches_part(std::string_view pattern, std::string_view text) {
  while (!pattern.empty()) {
    const char p = pattern.front();
    if (p == '*') {
      while (!pattern.empty() && pattern.front() == '*') pattern.remove_prefix(1);
      for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
        if (matches_part(pattern, text.substr(skipped))) return true;
      }
      return false;
    }
    if (text.empty()) return false;
    std::size_t taken = 1;
    if (p == '[') {
      const auto [length, holds] = match_set(pattern, text.front());
      if (length == 0 ? text.front() != '[' : !holds) return false;
      if (length > 0) taken = length;
    } else if (p == '\\' && pattern.size() > 1) {
      if (pattern[1] != text.front()) return false;
      taken = 2;
    } else if (p != '?' && p != text.front()) {
      return false;
    }
    pattern.remove_prefix(taken);
    text.remove_prefix(1);
  }
  return text.empty();
}

IgnoreRules::IgnoreRules() {
  add(kBuiltIn);
}

void IgnoreRules::add(std::string_view text) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = without_trailing_spaces(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    Rule rule;
    if (line.front() == '!') {
      rule.brings_back = true;
      line.remove_prefix(1);
    }
    if (line.ends_with('/')) {
      rule.folders_only = true;
      line.remove_suffix(1);
    }
    rule.is_anchored = line.find('/') != std::string_view::npos;
    for (const std::string_view part : split(line)) rule.parts.emplace_back(part);
    if (!rule.parts.empty()) rules_.push_back(std::move(rule));
  }
}

bool IgnoreRules::matches(const Rule& rule, const std::vector<std::string_view>& path, bool is_folder) {
  // A rule matches a path when it matches the path itself or a folder above it.
  for (std::size_t length = 1; length <= path.size(); ++length) {
    const bool is_whole = length == path.size();
    if (rule.folders_only && is_whole && !is_folder) continue;
    const std::span<const std::string_view> head(path.data(), length);
    if (rule.is_anchored ? matches_parts(rule.parts, head) : matches_part(rule.parts.front(), head.back())) return true;
  }
  return false;
}

bool IgnoreRules::ignores(std::string_view path, bool is_folder) const {
  const auto parts = split(path);
  bool ignored = false;
  for (const Rule& rule : rules_) {
    if (ignored == rule.brings_back && matches(rule, parts, is_folder)) ignored = !rule.brings_back;
  }
  return ignored;
}

}  // namespace det::cli
