#include "storage/s3_listing.h"

#include <charconv>
#include <sstream>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include "base/cut_text.h"
#include "base/encoding.h"
#include "base/printable.h"

namespace det::storage {

namespace {

namespace pt = boost::property_tree;

constexpr std::size_t kLongestError = 300;
constexpr int kDeepest = 16;  // S3's own answers have five levels

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

std::optional<pt::ptree> parsed(const std::string& xml) {
  if (!is_flat(xml)) return std::nullopt;
  try {
    std::istringstream in(xml);
    pt::ptree tree;
    pt::read_xml(in, tree);
    return tree;
  } catch (const pt::xml_parser_error&) {
    return std::nullopt;
  }
}

std::string error_member(const std::string& xml, const char* name) {
  const auto tree = parsed(xml);
  return tree ? tree->get("Error." + std::string(name), "") : "";
}

Result<std::string> url_decoded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      result += ' ';
    } else if (text[i] != '%') {
      result += text[i];
    } else {
      const auto byte = hex_decode(std::string_view(text).substr(i + 1, 2));
      if (!byte || byte->size() != 1) return fail(ErrorCode::kUnavailable, "a key of the listing cannot be read");
      result += *byte;
      i += 2;
    }
  }
  return result;
}

}  // namespace

Result<S3Listing> read_s3_listing(const std::string& xml) {
  const auto tree = parsed(xml);
  const auto root = tree ? tree->get_child_optional("ListBucketResult") : boost::none;
  if (!root) return fail(ErrorCode::kUnavailable, "the storage's answer is no listing of S3");
  S3Listing listing;
  for (const auto& [name, object] : *root) {
    if (name != "Contents") continue;
    auto key = url_decoded(object.get("Key", ""));
    DET_TRY(key);
    const std::string size = object.get("Size", "");
    StoredFile file{.path = std::move(*key)};
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), file.bytes);
    if (error != std::errc() || end != size.data() + size.size()) {
      return fail(ErrorCode::kUnavailable, "the size of a key of the listing is no number");
    }
    listing.files.push_back(std::move(file));
  }
  if (root->get("IsTruncated", "") == "true") listing.continue_with = root->get("NextContinuationToken", "");
  return listing;
}

std::string s3_error_text(const std::string& xml) {
  const std::string code = error_member(xml, "Code");
  const std::string message = error_member(xml, "Message");
  const std::string text = code + (code.empty() || message.empty() ? "" : ": ") + message;
  return cut_text(printable(text), kLongestError);
}

std::string s3_error_region(const std::string& xml) {
  return error_member(xml, "Region");
}

}  // namespace det::storage
