#pragma once

// libarchive's objects as values that free themselves. A detail of base/tgz.cc, base/archive_stream.cc and
// base/archive_extract.cc.

#include <memory>
#include <string>

#include <archive.h>
#include <archive_entry.h>

namespace det {

struct FreeArchiveWriter {
  void operator()(archive* a) const { archive_write_free(a); }
};
struct FreeArchiveReader {
  void operator()(archive* a) const { archive_read_free(a); }
};
struct FreeArchiveEntry {
  void operator()(archive_entry* e) const { archive_entry_free(e); }
};

using ArchiveWriter = std::unique_ptr<archive, FreeArchiveWriter>;
using ArchiveReader = std::unique_ptr<archive, FreeArchiveReader>;
using ArchiveEntry = std::unique_ptr<archive_entry, FreeArchiveEntry>;

// As it is in the archive. libarchive knows it in one of two forms: this program has no locale in which it could turn
// one into the other.
inline std::string entry_path(archive_entry* entry) {
  const char* path = archive_entry_pathname(entry);
  if (path == nullptr) path = archive_entry_pathname_utf8(entry);
  return path != nullptr ? path : "";
}

// For archive_write_open: into the std::string `out`.
inline la_ssize_t append_to_string(archive*, void* out, const void* data, std::size_t size) {
  static_cast<std::string*>(out)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

inline std::string archive_trouble(archive* a) {
  const char* why = archive_error_string(a);
  return why != nullptr ? why : "unknown failure";
}

}  // namespace det
