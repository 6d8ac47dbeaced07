#pragma once

// Files that people name on the command line.

#include <istream>
#include <string>

#include "base/result.h"

namespace det::cli {

// The whole of `file`. kInvalidArgument, which calls it `what` ("config_file") and, where it is a folder, says
// `about_folders`.
[[nodiscard]] Result<std::string> read_input_file(const std::string& what, const std::string& file,
                                                  const std::string& about_folders = "it is a directory");

// What is left of it. The error of a read that failed: a stream ends there without a word.
[[nodiscard]] Result<std::string> rest_of(std::istream& in);

}  // namespace det::cli
