#include "cli/input_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace det::cli {

Result<std::string> read_input_file(const std::string& what, const std::string& file,
                                    const std::string& about_folders) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  std::ifstream in(file);
  if (!in || is_folder) {
    return fail(ErrorCode::kInvalidArgument,
                what + " '" + file + "' cannot be read: " + (is_folder ? about_folders : std::strerror(errno)));
  }
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace det::cli
