#include "cli/daemon_log.h"

#include <fstream>
#include <string_view>
#include <vector>

namespace det::cli {
namespace {

constexpr std::size_t kTailLines = 30;

std::vector<std::string> lines_behind(const std::filesystem::path& file, std::uintmax_t from) {
  std::ifstream in(file);
  in.seekg(static_cast<std::streamoff>(from));
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The value of a logfmt field, from behind its quotation mark on.
std::string unquoted(std::string_view text) {
  std::string value;
  bool is_escaped = false;
  for (const char c : text) {
    if (!is_escaped && c == '"') break;
    if (!is_escaped && c == '\\') {
      is_escaped = true;
      continue;
    }
    value += is_escaped && c == 'n' ? '\n' : c;
    is_escaped = false;
  }
  return value;
}

}  // namespace

std::string log_tail(const std::filesystem::path& file, std::uintmax_t from) {
  const std::vector<std::string> lines = lines_behind(file, from);
  std::string text;
  const std::size_t first = lines.size() > kTailLines ? lines.size() - kTailLines : 0;
  for (std::size_t i = first; i < lines.size(); ++i) text += "  " + lines[i] + "\n";
  return text;
}

std::string warning_of_python(const std::filesystem::path& file, std::uintmax_t from) {
  constexpr std::string_view kField = "note=\"";
  for (const std::string& line : lines_behind(file, from)) {
    const std::size_t at = line.find("note=\"trials will fail: ");
    if (at != std::string::npos) return unquoted(std::string_view(line).substr(at + kField.size()));
  }
  return {};
}

}  // namespace det::cli
