#include "base/gzip.h"

#include <memory>

#include "base/archive_handle.h"

namespace det {

Result<std::string> gzip(std::string_view bytes) {
  std::string out;
  const ArchiveWriter writer(archive_write_new());
  archive* const a = writer.get();
  archive_write_add_filter_gzip(a);
  archive_write_set_options(a, "gzip:!timestamp");
  archive_write_set_format_raw(a);
  archive_write_set_bytes_in_last_block(a, 1);
  const ArchiveEntry entry(archive_entry_new());
  archive_entry_copy_pathname(entry.get(), "bytes");
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  const bool is_done = archive_write_open(a, &out, nullptr, append_to_string, nullptr) == ARCHIVE_OK &&
                       archive_write_header(a, entry.get()) == ARCHIVE_OK &&
                       (bytes.empty() || archive_write_data(a, bytes.data(), bytes.size()) >= 0) &&
                       archive_write_close(a) == ARCHIVE_OK;
  if (!is_done) return fail(ErrorCode::kInternal, "gzip: " + archive_trouble(a));
  return out;
}

}  // namespace det
