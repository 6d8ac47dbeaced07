#pragma once

// Sends a checkpoint's files as one archive: one piece is read while the one before it is packed and sent, so that a
// slow client holds three pieces and no more. Of a tar, any part can be sent: where everything will be in it is known
// from the names and sizes of its files. Belongs to the io thread.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "base/archive_stream.h"
#include "base/tar_layout.h"
#include "http/byte_range.h"
#include "http/message.h"
#include "storage/stored_files.h"

namespace det::api {

class CheckpointArchive {
 public:
  // `workers` outlives this.
  CheckpointArchive(boost::asio::thread_pool& workers, std::unique_ptr<storage::StoredFiles> files, ArchiveForm form);

  // Lists the files. What is wrong with the storage shows here or in begin(), before anything was sent.
  Task<Status> open();
  // After open(): how long it will be. Nothing where that is not known beforehand.
  [[nodiscard]] std::optional<std::uint64_t> total() const;
  // After open(): a strong entity tag, in quotes, which all replicas give to the same bytes. Empty where the archive is
  // not known beforehand, or the storage does not tell the versions of its files.
  [[nodiscard]] const std::string& entity_tag() const { return entity_tag_; }
  // After open(), once: reads the first piece. `range`: the part that is sent, of a total that is known; nothing: all.
  Task<Status> begin(std::optional<http::ByteRange> range);
  // After begin(), once. Throws where the rest cannot be read: the client must not take what it got for all of it.
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
  Task<void> write_end(http::Writer& writer);
  // What of `packed`, which begins at `position` of the archive, is in the range.
  [[nodiscard]] std::string cut_to_range(std::string packed, std::uint64_t position) const;

  boost::asio::thread_pool& workers_;
  std::unique_ptr<storage::StoredFiles> files_;
  ArchiveForm form_;
  std::vector<storage::StoredFile> listed_;
  std::shared_ptr<ArchiveStream> archive_;  // also of work on the pool whose coroutine was cancelled
  TarLayout layout_;                        // of a tar only
  std::string entity_tag_;
  std::optional<http::ByteRange> range_;
  Piece next_;
  std::optional<Piece> ready_;
  Result<std::string> ready_bytes_;
  bool is_open_ = true;  // the client takes more
};

}  // namespace det::api
