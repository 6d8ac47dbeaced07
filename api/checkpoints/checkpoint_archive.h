#pragma once

// Sends a checkpoint's files as one archive: one piece is read while the one before it is packed and sent, so that a
// slow client holds three pieces and no more. Belongs to the io thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "base/archive_stream.h"
#include "http/message.h"
#include "storage/stored_files.h"

namespace det::api {

class CheckpointArchive {
 public:
  // `workers` outlives this.
  CheckpointArchive(boost::asio::thread_pool& workers, std::unique_ptr<storage::StoredFiles> files, ArchiveForm form);

  // Lists the files and reads the first piece: what is wrong with the storage shows before anything was sent.
  Task<Status> open();
  // After open(), once. Throws where the rest cannot be read: the client must not take what it got for all of it.
  Task<void> send(http::Writer& writer);

 private:
  // A part of a file, or a folder, or an empty file.
  struct Piece {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    std::size_t length = 0;
  };
  [[nodiscard]] std::optional<Piece> next_piece();
  Task<void> read(Piece piece);
  Task<void> pack_and_write(Piece piece, std::string bytes, http::Writer& writer);

  boost::asio::thread_pool& workers_;
  std::unique_ptr<storage::StoredFiles> files_;
  std::vector<storage::StoredFile> listed_;
  std::shared_ptr<ArchiveStream> archive_;  // also of work on the pool whose coroutine was cancelled
  Piece next_;
  std::optional<Piece> ready_;
  Result<std::string> ready_bytes_;
  bool is_open_ = true;  // the client takes more
};

}  // namespace det::api
