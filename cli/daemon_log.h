#pragma once

// What the program of `det deploy local` wrote into its log. Reads files.

#include <cstdint>
#include <filesystem>
#include <string>

namespace det::cli {

// The last lines of what was written behind byte `from`, each indented.
[[nodiscard]] std::string log_tail(const std::filesystem::path& file, std::uintmax_t from);

// What it said there of the Python that trials run in: "trials will fail: ..." (main/operator/local_options.cc). Empty
// when it is content.
[[nodiscard]] std::string warning_of_python(const std::filesystem::path& file, std::uintmax_t from);

}  // namespace det::cli
