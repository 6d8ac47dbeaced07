#pragma once

// Uploaded model code: tar.gz bytes under their own SHA-256 (lower-case hex), so that equal uploads are kept once.
// Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>

#include "pg/pool.h"

namespace det::store {

class ContextStore {
 public:
  explicit ContextStore(pg::Pool& pool) : pool_(pool) {}

  // Idempotent. kInvalidArgument when `sha256` is not the digest of `bytes`.
  Task<Status> put(std::string sha256, std::string bytes);
  // Nothing when it was never uploaded.
  Task<Result<std::optional<std::string>>> get(std::string sha256);
  // At most `most` bytes of it from `offset` on, and how many it has; for answers, none of which may hold it whole.
  // Nothing when it was never uploaded.
  struct Part {
    std::string bytes;
    std::int64_t total = 0;
  };
  Task<Result<std::optional<Part>>> part(std::string sha256, std::int64_t offset, std::int64_t most);
  Task<Result<bool>> exists(std::string sha256);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
