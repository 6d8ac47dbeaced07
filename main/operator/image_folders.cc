#include "main/operator/image_folders.h"

#include <filesystem>

namespace det::main {

Result<std::string> image_folder(const std::string& folder, const std::string& option) {
  if (folder == "/") return std::string();
  std::error_code error;
  const auto path = std::filesystem::canonical(folder, error);
  if (!error && std::filesystem::is_directory(path, error)) return path.string();
  return fail(ErrorCode::kInvalidArgument, option + ": " + folder + " is not a folder");
}

Result<std::map<std::string, std::string>> image_folders(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> images;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');  // a reference holds none, a folder may
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::kInvalidArgument, "--image " + text + ": use REF=DIR");
    }
    auto folder = image_folder(text.substr(equals + 1), "--image " + text);
    DET_TRY(folder);
    images[text.substr(0, equals)] = std::move(*folder);
  }
  return images;
}

}  // namespace det::main
