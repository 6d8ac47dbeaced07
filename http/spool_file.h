#pragma once

// A request body too large for memory: an unlinked temporary file, mapped read-only once it is complete. The space is
// given back when the object goes. Blocking: append() and finish() run on a pool.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace det::http {

class SpoolFile {
 public:
  // A new empty file without a name in `directory`. kUnavailable when it cannot be made.
  [[nodiscard]] static Result<std::unique_ptr<SpoolFile>> create(const std::filesystem::path& directory);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  // kResourceExhausted when the disk is full.
  [[nodiscard]] Status append(std::string_view bytes);
  // Maps what was appended; view() is valid from now on.
  [[nodiscard]] Status finish();
  [[nodiscard]] std::string_view view() const { return {mapped_, size_}; }

 private:
  explicit SpoolFile(int fd) : fd_(fd) {}

  int fd_;
  std::size_t size_ = 0;
  const char* mapped_ = nullptr;
};

}  // namespace det::http
