#pragma once

// .detignore: which files of a folder are not sent. gitignore's syntax: comments, negation, '/' at the start or in the
// middle anchors, '/' at the end means folders only, '**' crosses folders, the last rule that matches decides. Pure.

#include <string>
#include <string_view>
#include <vector>

namespace det::cli {

class IgnoreRules {
 public:
  // The rules that hold in every folder (compiled Python, .git, Terraform state and the like).
  IgnoreRules();
  // Appends the lines of a .detignore file.
  void add(std::string_view text);
  // Whether the path, relative to the folder and with '/' between its parts, is left out. Something below a folder that
  // is left out is left out too, unless a later rule brings it back.
  [[nodiscard]] bool ignores(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    std::vector<std::string> parts;  // patterns of the path's parts; "**" is any number of parts
    bool is_anchored = false;
    bool folders_only = false;
    bool brings_back = false;
  };
  [[nodiscard]] static bool matches(const Rule& rule, const std::vector<std::string_view>& path, bool is_folder);

  std::vector<Rule> rules_;
};

// One part of a path against one pattern: * ? [a-z] [!a-z] and \ before a character that is meant as it is.
[[nodiscard]] bool matches_part(std::string_view pattern, std::string_view text);

}  // namespace det::cli
