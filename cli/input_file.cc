#include "cli/input_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

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
  auto text = rest_of(in);
  if (!text) return fail(ErrorCode::kInvalidArgument, what + " '" + file + "' cannot be read: " + text.error().message);
  return text;
}

Result<std::string> rest_of(std::istream& in) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  std::string text;
  do {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    errno = 0;
    in.read(text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  } while (in.good());
  if (in.bad()) return fail(ErrorCode::kInvalidArgument, std::strerror(errno == 0 ? EIO : errno));
  return text;
}

}  // namespace det::cli
