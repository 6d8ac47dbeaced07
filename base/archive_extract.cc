#include "base/archive_extract.h"

#include <cstring>
#include <filesystem>

#include "base/archive_handle.h"
#include "base/inner_path.h"
#include "base/printable.h"
#include "base/utf8_locale.h"

namespace det {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

std::unexpected<Error> failed(archive* a, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, what + ": " + archive_trouble(a));
}

Result<std::string> inner_path(archive_entry* entry) {
  const std::string path = entry_path(entry);
  if (!is_inner_path(path)) {
    return fail(ErrorCode::kInvalidArgument, "the archive holds '" + printable(path) + "', which leaves the folder");
  }
  // Of the type of a file, with content of its own: that would be written into the file that the link names.
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_hardlink_w(entry) != nullptr) {
    return fail(ErrorCode::kInvalidArgument, "the archive holds '" + printable(path) + "', which is a hard link");
  }
  const auto type = archive_entry_filetype(entry);
  if (type != AE_IFREG && type != AE_IFDIR) {
    return fail(ErrorCode::kInvalidArgument, "the archive holds '" + printable(path) + "', which is no file or folder");
  }
  return path;
}

std::unexpected<Error> unwritten(archive* to, const std::string& path) {
  const int number = archive_errno(to);
  return fail(ErrorCode::kInvalidArgument,
              path + " cannot be written: " + (number > 0 ? std::strerror(number) : archive_trouble(to)));
}

Status copy_content(archive* from, archive* to, const std::string& path) {
  while (true) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int got = archive_read_data_block(from, &block, &size, &offset);
    if (got == ARCHIVE_EOF) return {};
    if (got < ARCHIVE_WARN) return failed(from, "the archive ends too early");
    // To libarchive a full disk is worth a warning.
    if (archive_write_data_block(to, block, size, offset) != ARCHIVE_OK) return unwritten(to, path);
  }
}

}  // namespace

Status extract_archive(const std::string& archive_file, const std::string& folder) {
  const Utf8Locale locale;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // Links on the way to the folder are its owner's; those below it are none of the archive's.
  const std::string root = error ? folder : std::filesystem::canonical(folder, error).string();
  if (error) return fail(ErrorCode::kInvalidArgument, folder + ": " + error.message());
  const ArchiveReader from(archive_read_new());
  archive_read_support_filter_gzip(from.get());
  archive_read_support_format_tar(from.get());
  archive_read_support_format_zip(from.get());
  if (archive_read_open_filename(from.get(), archive_file.c_str(), kBlock) != ARCHIVE_OK) {
    return failed(from.get(), "the archive cannot be read");
  }
  const ArchiveWriter to(archive_write_disk_new());
  archive_write_disk_set_options(to.get(), ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT);
  while (true) {
    archive_entry* entry = nullptr;
    const int got = archive_read_next_header(from.get(), &entry);
    if (got == ARCHIVE_EOF) break;
    if (got < ARCHIVE_WARN) return failed(from.get(), "the archive cannot be read");
    const auto path = inner_path(entry);
    DET_TRY(path);
    archive_entry_set_pathname(entry, (root + "/" + *path).c_str());
    if (archive_write_header(to.get(), entry) < ARCHIVE_WARN) return failed(to.get(), folder + "/" + *path);
    DET_TRY(copy_content(from.get(), to.get(), folder + "/" + *path));
    if (archive_write_finish_entry(to.get()) != ARCHIVE_OK) return unwritten(to.get(), folder + "/" + *path);
  }
  if (archive_write_close(to.get()) != ARCHIVE_OK) return failed(to.get(), "the files cannot be written");
  return {};
}

}  // namespace det
