#include "base/tgz.h"

#include <algorithm>
#include <memory>
#include <string_view>

#include "base/archive_handle.h"
#include "base/inner_path.h"

namespace det {
namespace {

constexpr std::int64_t kLatestTime = 253'402'300'799;  // the last second of the year 9999

Error path_error(const std::string& path) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = "path \"" + path + "\" must be relative and stay inside the context folder",
          .field = {},
          .retry_after = {}};
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80; });
}

Error archive_failure(archive* a, const char* what) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = std::string(what) + ": " + archive_trouble(a),
          .field = {},
          .retry_after = {}};
}

std::unexpected<Error> too_large(std::uint64_t max_bytes) {
  return fail(ErrorCode::kResourceExhausted, "archive unpacks to more than " + std::to_string(max_bytes) + " bytes");
}

}  // namespace

Result<std::string> pack_tgz(const std::vector<TarEntry>& entries) {
  std::string out;
  const ArchiveWriter writer(archive_write_new());
  archive_write_add_filter_gzip(writer.get());
  // Without this gzip's header holds the time of day, and equal contexts would have different hashes.
  archive_write_set_options(writer.get(), "gzip:!timestamp");
  archive_write_set_format_pax_restricted(writer.get());
  // Names are bytes here. libarchive would turn others than ASCII into the locale's characters, of which there are
  // none, and then read what it has not got. Names of ASCII stay as they were: contexts are known by their hashes.
  const bool has_odd_names = !std::ranges::all_of(entries, [](const TarEntry& entry) { return is_ascii(entry.path); });
  if (has_odd_names) archive_write_set_options(writer.get(), "pax:hdrcharset=BINARY");
  archive_write_set_bytes_in_last_block(writer.get(), 1);
  if (archive_write_open(writer.get(), &out, nullptr, append_to_string, nullptr) != ARCHIVE_OK) {
    return std::unexpected(archive_failure(writer.get(), "start archive"));
  }
  for (const auto& entry : entries) {
    if (!is_inner_path(entry.path)) return std::unexpected(path_error(entry.path));
    const ArchiveEntry header(archive_entry_new());
    const bool is_file = entry.type == TarEntry::Type::kFile;
    if (entry.path.contains('\0')) return std::unexpected(path_error(entry.path));
    if (is_file && entry.path.ends_with('/')) {
      return fail(ErrorCode::kInvalidArgument, "path \"" + entry.path + "\" is that of a file and ends with '/'");
    }
    archive_entry_copy_pathname(header.get(), entry.path.c_str());
    archive_entry_set_filetype(header.get(), is_file ? AE_IFREG : AE_IFDIR);
    archive_entry_set_perm(header.get(), entry.mode & 07777);
    archive_entry_set_mtime(header.get(), std::clamp(entry.mtime, std::int64_t{0}, kLatestTime), 0);
    archive_entry_set_size(header.get(), is_file ? static_cast<la_int64_t>(entry.content.size()) : 0);
    if (archive_write_header(writer.get(), header.get()) != ARCHIVE_OK) {
      return std::unexpected(archive_failure(writer.get(), ("add " + entry.path).c_str()));
    }
    if (is_file && archive_write_data(writer.get(), entry.content.data(), entry.content.size()) < 0) {
      return std::unexpected(archive_failure(writer.get(), ("add " + entry.path).c_str()));
    }
  }
  if (archive_write_close(writer.get()) != ARCHIVE_OK) {
    return std::unexpected(archive_failure(writer.get(), "finish archive"));
  }
  return out;
}

Result<std::vector<TarEntry>> unpack_tgz(const std::string& bytes, std::uint64_t max_bytes) {
  const ArchiveReader reader(archive_read_new());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
    return std::unexpected(archive_failure(reader.get(), "not a gzipped tar archive"));
  }
  std::vector<TarEntry> entries;
  std::uint64_t total = 0;
  std::size_t names = 0;
  for (;;) {
    archive_entry* header = nullptr;
    const int code = archive_read_next_header(reader.get(), &header);
    if (code == ARCHIVE_EOF) return entries;
    // A warning says that the name is not in the locale's characters.
    if (code != ARCHIVE_OK && code != ARCHIVE_WARN) {
      return std::unexpected(archive_failure(reader.get(), "not a gzipped tar archive"));
    }
    TarEntry entry;
    entry.path = entry_path(header);
    names += entry.path.size();
    if (entries.size() == kMostTarEntries || names > kMostTarNames) {
      return fail(ErrorCode::kResourceExhausted, "archive holds more than " + std::to_string(kMostTarEntries) +
                                                     " files and folders, or " + std::to_string(kMostTarNames) +
                                                     " bytes of their names");
    }
    if (entry.path.empty()) return fail(ErrorCode::kInvalidArgument, "an entry of the archive has no name");
    while (entry.path.starts_with("./")) entry.path.erase(0, 2);
    while (entry.path.ends_with('/')) entry.path.pop_back();
    if (entry.path.empty() || entry.path == ".") continue;
    if (!is_inner_path(entry.path)) return std::unexpected(path_error(entry.path));
    const auto type = archive_entry_filetype(header);
    if (type != AE_IFREG && type != AE_IFDIR) {
      return fail(ErrorCode::kInvalidArgument, "\"" + entry.path + "\" is neither a file nor a folder");
    }
    entry.type = type == AE_IFREG ? TarEntry::Type::kFile : TarEntry::Type::kDirectory;
    entry.mode = static_cast<std::uint32_t>(archive_entry_perm(header));
    entry.mtime = std::clamp(static_cast<std::int64_t>(archive_entry_mtime(header)), std::int64_t{0}, kLatestTime);
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    for (;;) {
      const int read = archive_read_data_block(reader.get(), &block, &size, &offset);
      if (read == ARCHIVE_EOF) break;
      if (read != ARCHIVE_OK) return std::unexpected(archive_failure(reader.get(), entry.path.c_str()));
      // The holes of sparse entries count, too: a few bytes of archive can claim any number of them.
      if (offset < 0 || static_cast<std::uint64_t>(offset) < entry.content.size()) {
        return fail(ErrorCode::kInvalidArgument, "\"" + entry.path + "\" has its bytes out of order");
      }
      const std::uint64_t hole = static_cast<std::uint64_t>(offset) - entry.content.size();
      if (hole > max_bytes || size > max_bytes || (total += hole + size) > max_bytes) return too_large(max_bytes);
      entry.content.resize(static_cast<std::size_t>(offset), '\0');
      entry.content.append(static_cast<const char*>(block), size);
    }
    entries.push_back(std::move(entry));
  }
}

}  // namespace det
