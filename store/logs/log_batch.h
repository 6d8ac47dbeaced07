#pragma once

// Writes batches of log chunks over one connection. The part of LogWriter that lives on the writer's thread.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bounded_map.h"
#include "base/result.h"
#include "pg/raw_connection.h"
#include "store/logs/log_chunk.h"
#include "store/logs/log_compactor.h"

namespace det::store {

struct LogPost {
  std::string task_id;
  std::int64_t post = 0;  // random: tells this post from every other one
  std::vector<EncodedChunk> chunks;
};

class LogBatch {
 public:
  // Tells the compactor of each chunk.
  LogBatch(std::string url, LogCompactor& compactor) : url_(std::move(url)), compactor_(compactor) {}

  // As GroupCommit::Commit.
  Status commit(const std::vector<const LogPost*>& posts, std::vector<Status>& results);

 private:
  struct Row {
    const LogPost* post = nullptr;
    std::int32_t task = 0;
    std::size_t place = 0;  // in the batch
  };
  Status connect();
  Status give_up_connection(Error error);
  [[nodiscard]] bool was_lost(const Status& status) const;
  Result<std::int32_t> task_number(const std::string& task_id);
  Status drop_written(std::vector<Row>& rows);
  Status insert(const std::vector<Row>& rows);
  void tell_compactor(std::vector<Row> rows, const pg::ResultHandle& inserted);

  std::string url_;
  LogCompactor& compactor_;
  std::optional<pg::RawConnection> connection_;
  BoundedMap<std::string, std::int32_t> tasks_{100'000};
  bool in_doubt_ = false;  // the last insert may have been committed
};

}  // namespace det::store
