#include "base/archive_stream.h"

#include <algorithm>
#include <utility>

#include "base/archive_handle.h"
#include "base/inner_path.h"
#include "base/utf8_locale.h"

namespace det {

namespace {

Error failure(archive* a) {
  return {.code = ErrorCode::kInternal,
          .message = "the archive could not be written: " + archive_trouble(a),
          .field = {},
          .retry_after = {}};
}

void choose_form(archive* a, ArchiveForm form) {
  switch (form) {
    case ArchiveForm::kTgz:
      archive_write_add_filter_gzip(a);
      archive_write_set_options(a, "gzip:compression-level=1");
      [[fallthrough]];
    case ArchiveForm::kTar:
      archive_write_set_format_pax_restricted(a);
      // Names are bytes: without a locale libarchive knows no other characters than those of ASCII.
      archive_write_set_options(a, "pax:hdrcharset=BINARY");
      return;
    case ArchiveForm::kZip:
      archive_write_set_format_zip(a);
      archive_write_set_options(a, "zip:compression=store");
      return;
  }
}

}  // namespace

struct ArchiveStream::Parts {
  std::string ready;
  bool is_given_up = false;
  ArchiveWriter writer{archive_write_new()};
  std::uint64_t left = 0;  // of the file that was begun
  std::string path;        // of it

  static la_ssize_t take_bytes(archive* a, void* parts, const void* data, std::size_t size) {
    auto& self = *static_cast<Parts*>(parts);
    return self.is_given_up ? la_ssize_t{-1} : append_to_string(a, &self.ready, data, size);
  }

  Status end_file() {
    if (left == 0) return {};
    return fail(ErrorCode::kFailedPrecondition,
                path + " has " + std::to_string(left) + " bytes less than it had when it was listed");
  }
};

ArchiveStream::ArchiveStream(ArchiveForm form) : parts_(std::make_unique<Parts>()) {
  archive* writer = parts_->writer.get();
  choose_form(writer, form);
  archive_write_set_bytes_per_block(writer, 0);  // what is ready goes at once
  archive_write_open(writer, parts_.get(), nullptr, Parts::take_bytes, nullptr);
}

// libarchive fills up what is missing of a file that was begun: with as many zeros as it announced, or until nobody
// takes them.
ArchiveStream::~ArchiveStream() {
  parts_->is_given_up = true;
}

Status ArchiveStream::begin(const std::string& path, std::uint64_t bytes) {
  DET_TRY(parts_->end_file());
  if (!is_inner_path(path)) {
    return fail(ErrorCode::kInvalidArgument, "path \"" + path + "\" must be relative and stay inside the archive");
  }
  const Utf8Locale locale;
  const bool is_folder = path.ends_with('/');
  const ArchiveEntry entry(archive_entry_new());
  archive_entry_set_pathname(entry.get(), path.c_str());
  archive_entry_set_filetype(entry.get(), is_folder ? AE_IFDIR : AE_IFREG);
  archive_entry_set_perm(entry.get(), is_folder ? 0755 : 0644);
  archive_entry_set_size(entry.get(), is_folder ? 0 : static_cast<la_int64_t>(bytes));
  if (archive_write_header(parts_->writer.get(), entry.get()) < ARCHIVE_WARN) {
    return std::unexpected(failure(parts_->writer.get()));
  }
  parts_->left = is_folder ? 0 : bytes;
  parts_->path = path;
  return {};
}

Status ArchiveStream::add(std::string_view bytes) {
  if (bytes.size() > parts_->left) {
    return fail(ErrorCode::kFailedPrecondition, parts_->path + " has grown since it was listed");
  }
  while (!bytes.empty()) {
    const la_ssize_t taken = archive_write_data(parts_->writer.get(), bytes.data(), bytes.size());
    if (taken <= 0) return std::unexpected(failure(parts_->writer.get()));
    parts_->left -= static_cast<std::uint64_t>(taken);
    bytes.remove_prefix(static_cast<std::size_t>(taken));
  }
  return {};
}

Status ArchiveStream::finish() {
  DET_TRY(parts_->end_file());
  const Utf8Locale locale;
  if (archive_write_close(parts_->writer.get()) != ARCHIVE_OK) return std::unexpected(failure(parts_->writer.get()));
  return {};
}

std::string ArchiveStream::take() {
  return std::exchange(parts_->ready, {});
}

}  // namespace det
