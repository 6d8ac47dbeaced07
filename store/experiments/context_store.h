#pragma once

// Uploaded model code: tar.gz bytes under their own SHA-256 (lower-case hex), so that equal uploads are kept once.
// Belongs to the io thread; Pool outlives it.

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
  Task<Result<bool>> exists(std::string sha256);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
