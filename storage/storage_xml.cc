#include "storage/storage_xml.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <string_view>

#include <boost/property_tree/xml_parser.hpp>

#include "base/cut_text.h"
#include "base/printable.h"

namespace det::storage {

namespace {

namespace pt = boost::property_tree;

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // Azure's answers begin with it
constexpr std::size_t kLongestError = 300;
constexpr int kDeepest = 16;  // the storages' own answers have five levels

// Behind the end of the tag that begins at `at`, which quoted values may hold, too; npos: it does not end.
std::size_t end_of_tag(std::string_view xml, std::size_t at) {
  char quote = '\0';
  for (std::size_t i = at + 1; i < xml.size(); ++i) {
    const char c = xml[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// The parser calls itself for each level: a hostile answer must not use up the stack. Reads each byte once.
bool is_flat(std::string_view xml) {
  struct Whole {
    std::string_view begin, end;
  };
  static constexpr Whole kWholes[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
  int depth = 0;
  std::size_t at = xml.find('<');
  while (at != std::string_view::npos) {
    const std::string_view rest = xml.substr(at);
    const auto whole = std::ranges::find_if(kWholes, [rest](const Whole& one) { return rest.starts_with(one.begin); });
    std::size_t behind = 0;
    if (whole != std::end(kWholes)) {
      const std::size_t end = xml.find(whole->end, at + whole->begin.size());
      if (end == std::string_view::npos) return false;
      behind = end + whole->end.size();
    } else {
      behind = end_of_tag(xml, at);
      if (behind == std::string_view::npos || rest.starts_with("<!")) return false;
      const bool is_end = rest.starts_with("</");
      const bool is_empty = xml[behind - 2] == '/';
      if (is_end && --depth < 0) return false;
      if (!is_end && !is_empty && ++depth > kDeepest) return false;
    }
    at = xml.find('<', behind);
  }
  return true;
}

}  // namespace

std::optional<pt::ptree> parse_storage_xml(const std::string& xml) {
  if (!is_flat(xml)) return std::nullopt;
  try {
    std::istringstream in(xml.starts_with(kByteOrderMark) ? xml.substr(kByteOrderMark.size()) : xml);
    pt::ptree tree;
    pt::read_xml(in, tree);
    return tree;
  } catch (const pt::xml_parser_error&) {
    return std::nullopt;
  }
}

std::string storage_error_member(const std::string& xml, const char* name) {
  const auto tree = parse_storage_xml(xml);
  return tree ? tree->get("Error." + std::string(name), "") : "";
}

std::string storage_error_text(const std::string& xml) {
  const std::string code = storage_error_member(xml, "Code");
  const std::string message = storage_error_member(xml, "Message");
  const std::string text = code + (code.empty() || message.empty() ? "" : ": ") + message;
  return cut_text(printable(text), kLongestError);
}

}  // namespace det::storage
