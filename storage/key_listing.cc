#include "storage/key_listing.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "base/inner_path.h"
#include "base/printable.h"

namespace det::storage {

namespace {

constexpr std::size_t kLongestPath = 4096;  // object stores allow 1,024

}  // namespace

Status KeyListing::add(std::vector<StoredFile> page) {
  for (StoredFile& file : page) {
    if (!file.path.starts_with(folder_)) continue;
    file.path.erase(0, folder_.size());
    if (file.path.empty()) continue;  // a marker of the folder itself
    // An archive's names end at a NUL.
    if (file.path.size() > kLongestPath) {
      return fail(ErrorCode::kFailedPrecondition, "it has a key of " + std::to_string(file.path.size()) + " bytes");
    }
    if (!is_inner_path(file.path) || file.path.find('\0') != std::string::npos) {
      return fail(ErrorCode::kFailedPrecondition, "its key '" + printable(file.path) + "' leaves the checkpoint");
    }
    // It goes into headers.
    if (!std::ranges::all_of(file.version, [](unsigned char c) { return c > ' ' && c < 0x7f; })) file.version.clear();
    files_.push_back(std::move(file));
  }
  if (files_.size() > kMostFiles) {
    return fail(ErrorCode::kResourceExhausted, "it has more than " + std::to_string(kMostFiles) + " files");
  }
  return {};
}

Result<std::vector<StoredFile>> KeyListing::finish() {
  if (files_.empty()) return fail(ErrorCode::kNotFound, "there is nothing below " + folder_);
  std::ranges::sort(files_, {}, &StoredFile::path);
  return std::move(files_);
}

std::string normal_prefix(std::string_view prefix) {
  const bool is_absolute = prefix.starts_with('/');
  std::string normal;
  for (const auto& part : std::views::split(prefix, '/')) {
    const std::string_view name(part);
    if (name.empty() || name == ".") continue;
    if (!normal.empty()) normal += '/';
    normal += name;
  }
  return normal.empty() && !prefix.empty() && !is_absolute ? "." : normal;
}

std::string folder_of(std::string_view prefix, std::string_view uuid) {
  while (prefix.starts_with('/')) prefix.remove_prefix(1);
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  return std::string(prefix) + (prefix.empty() ? "" : "/") + std::string(uuid) + "/";
}

}  // namespace det::storage
