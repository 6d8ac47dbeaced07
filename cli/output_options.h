#pragma once

// --json and --yaml of commands that can print the server's answer in place of a table. Belongs to one thread.

#include <string>

#include <CLI/App.hpp>

#include "cli/text.h"

namespace det::cli {

struct OutputOptions {
  bool as_json = false;
  bool as_yaml = false;

  // Whether the answer itself is wanted.
  [[nodiscard]] bool is_for_programs() const { return as_json || as_yaml; }
};

// Both options, for others to exclude. One command has at most one of them.
struct OutputFlags {
  CLI::Option* json;
  CLI::Option* yaml;
};
OutputFlags add_output(CLI::App* leaf, OutputOptions& output);

// The answer as YAML where that is wanted, else as JSON; with a newline.
[[nodiscard]] std::string output_text(const Json& answer, const OutputOptions& output);

}  // namespace det::cli
