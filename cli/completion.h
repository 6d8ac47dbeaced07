#pragma once

// Shell completion. The scripts for the shells ask this program for candidates at every TAB, so they never grow old.
// Pure.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace det::cli {

// What may stand in place of the last of `words` (what was typed behind "det", the last one perhaps empty): commands,
// options and their choices that start with it. Empty: let the shell offer files.
[[nodiscard]] std::vector<std::string> completions(const CLI::App& root, const std::vector<std::string>& words);

// The script that makes bash, zsh or fish ask; empty for another shell.
[[nodiscard]] std::string completion_script(const std::string& shell);

}  // namespace det::cli
