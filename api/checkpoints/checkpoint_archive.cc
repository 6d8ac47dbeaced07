#include "api/checkpoints/checkpoint_archive.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/guarded_work.h"
#include "base/race.h"

namespace det::api {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{2} << 20;

Result<std::string> pack(ArchiveStream& archive, const storage::StoredFile& file, bool is_first,
                         const std::string& bytes) {
  if (is_first) DET_TRY(archive.begin(file.path, file.bytes));
  DET_TRY(archive.add(bytes));
  return archive.take();
}

}  // namespace

CheckpointArchive::CheckpointArchive(boost::asio::thread_pool& workers, std::unique_ptr<storage::StoredFiles> files,
                                     ArchiveForm form)
    : workers_(workers), files_(std::move(files)), archive_(std::make_shared<ArchiveStream>(form)) {}

std::optional<CheckpointArchive::Piece> CheckpointArchive::next_piece() {
  if (next_.file >= listed_.size()) return std::nullopt;
  const std::uint64_t size = listed_[next_.file].bytes;
  next_.length = static_cast<std::size_t>(std::min<std::uint64_t>(size - next_.offset, kPieceBytes));
  const Piece piece = next_;
  next_.offset += piece.length;
  if (next_.offset >= size) next_ = {.file = piece.file + 1};
  return piece;
}

Task<Status> CheckpointArchive::open() {
  auto listed = co_await files_->list();
  DET_CO_TRY(listed);
  listed_ = std::move(*listed);
  ready_ = next_piece();
  if (ready_) co_await read(*ready_);
  DET_CO_TRY(ready_bytes_);
  co_return Status();
}

Task<void> CheckpointArchive::read(Piece piece) {
  ready_bytes_ = std::string();
  if (piece.length == 0) co_return;
  ready_bytes_ = co_await files_->read(listed_[piece.file], piece.offset, piece.length);
  if (ready_bytes_ && ready_bytes_->size() != piece.length) {
    ready_bytes_ = fail(ErrorCode::kFailedPrecondition, listed_[piece.file].path + " became shorter meanwhile");
  }
}

Task<void> CheckpointArchive::pack_and_write(Piece piece, std::string bytes, http::Writer& writer) {
  auto work = [archive = archive_, file = listed_[piece.file], is_first = piece.offset == 0, bytes = std::move(bytes)] {
    return pack(*archive, file, is_first, bytes);
  };
  auto packed = co_await run_guarded(workers_, std::move(work));
  if (!packed) throw std::runtime_error(packed.error().message);
  is_open_ = co_await writer.write(std::move(*packed));
}

Task<void> CheckpointArchive::send(http::Writer& writer) {
  while (ready_ && is_open_) {
    if (!ready_bytes_) throw std::runtime_error(ready_bytes_.error().message);
    std::vector<Task<void>> both;
    both.push_back(pack_and_write(*ready_, std::move(*ready_bytes_), writer));
    ready_ = next_piece();
    if (ready_) both.push_back(read(*ready_));
    co_await all_of(std::move(both));
  }
  if (!is_open_) co_return;
  auto work = [archive = archive_]() -> Result<std::string> {
    DET_TRY(archive->finish());
    return archive->take();
  };
  auto rest = co_await run_guarded(workers_, std::move(work));
  if (!rest) throw std::runtime_error(rest.error().message);
  co_await writer.write(std::move(*rest));
}

}  // namespace det::api
