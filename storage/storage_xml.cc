#include "storage/storage_xml.h"

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

// The parser calls itself for each level: a hostile answer must not use up the stack.
bool is_flat(const std::string& xml) {
  int depth = 0;
  for (std::size_t i = xml.find('<'); i != std::string::npos; i = xml.find('<', i + 1)) {
    const char next = i + 1 < xml.size() ? xml[i + 1] : '\0';
    if (next == '!' || next == '?') continue;
    if (next == '/') {
      --depth;
    } else if (++depth > kDeepest) {
      return false;
    } else if (const std::size_t end = xml.find('>', i); end != std::string::npos && xml[end - 1] == '/') {
      --depth;
    }
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
