#include "api/checkpoints/checkpoint_archive.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/encoding.h"
#include "base/guarded_work.h"
#include "base/race.h"

namespace det::api {

namespace {

using storage::StoredFile;

constexpr std::size_t kPieceBytes = std::size_t{2} << 20;

Result<std::string> pack(ArchiveStream& archive, const StoredFile& file, bool is_first, const std::string& bytes) {
  if (is_first) DET_TRY(archive.begin(file.path, file.bytes));
  DET_TRY(archive.add(bytes));
  return archive.take();
}

Result<std::string> pack_tar(const StoredFile& file, std::uint64_t offset, std::string bytes) {
  const bool is_last = offset + bytes.size() == file.bytes;
  if (is_last) bytes += tar_padding(file.bytes);
  if (offset > 0) return bytes;
  auto packed = tar_header(file.path, file.bytes);
  DET_TRY(packed);
  return std::move(*packed) + bytes;
}

struct LaidOut {
  std::vector<StoredFile> files;
  TarLayout layout;
  std::string entity_tag;
};

Result<LaidOut> lay_out(std::vector<StoredFile> files) {
  LaidOut out{.files = std::move(files)};
  std::string digests;
  bool has_versions = true;
  for (const StoredFile& file : out.files) {
    DET_TRY(out.layout.add(file.path, file.bytes));
    const bool is_folder = file.path.ends_with('/');
    has_versions = has_versions && (is_folder || !file.version.empty());
    // Of each, so that what stands in one cannot be taken for the beginning of the next.
    digests += sha256_hex(file.path) + std::to_string(file.bytes) + sha256_hex(is_folder ? "" : file.version);
  }
  if (has_versions) out.entity_tag = "\"" + sha256_hex(digests + std::to_string(out.layout.total())) + "\"";
  return out;
}

}  // namespace

CheckpointArchive::CheckpointArchive(boost::asio::thread_pool& workers, std::unique_ptr<storage::StoredFiles> files,
                                     ArchiveForm form)
    : workers_(workers),
      files_(std::move(files)),
      form_(form),
      archive_(form == ArchiveForm::kTar ? nullptr : std::make_shared<ArchiveStream>(form)) {}

std::optional<CheckpointArchive::Piece> CheckpointArchive::next_piece() {
  if (next_.file >= listed_.size()) return std::nullopt;
  if (range_ && layout_.position_of({.member = next_.file, .offset = next_.offset}) > range_->last) return std::nullopt;
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
  for (StoredFile& file : listed_) {
    if (file.path.ends_with('/')) file.bytes = 0;  // an archive's folders have no content
  }
  if (form_ != ArchiveForm::kTar) co_return Status();
  // There may be 200,000: not even a copy is made here.
  auto work = [files = std::move(listed_)]() mutable { return lay_out(std::move(files)); };
  auto laid_out = co_await run_guarded(workers_, std::move(work));
  DET_CO_TRY(laid_out);
  listed_ = std::move(laid_out->files);
  layout_ = std::move(laid_out->layout);
  entity_tag_ = std::move(laid_out->entity_tag);
  co_return Status();
}

std::optional<std::uint64_t> CheckpointArchive::total() const {
  if (form_ != ArchiveForm::kTar) return std::nullopt;
  return layout_.total();
}

Task<Status> CheckpointArchive::begin(std::optional<http::ByteRange> range) {
  range_ = range;
  if (range_) {
    const TarLayout::Place place = layout_.find(range_->first);
    next_ = {.file = place.member, .offset = place.offset};
  }
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

std::string CheckpointArchive::cut_to_range(std::string packed, std::uint64_t position) const {
  if (!range_) return packed;
  const std::uint64_t after = position + packed.size();
  if (after <= range_->first || position > range_->last) return {};
  if (after > range_->last + 1) packed.resize(static_cast<std::size_t>(range_->last + 1 - position));
  if (position < range_->first) packed.erase(0, static_cast<std::size_t>(range_->first - position));
  return packed;
}

Task<void> CheckpointArchive::pack_and_write(Piece piece, std::string bytes, http::Writer& writer) {
  auto work = [archive = archive_, file = listed_[piece.file], offset = piece.offset,
               bytes = std::move(bytes)]() mutable {
    return archive ? pack(*archive, file, offset == 0, bytes) : pack_tar(file, offset, std::move(bytes));
  };
  auto packed = co_await run_guarded(workers_, std::move(work));
  if (!packed) throw std::runtime_error(packed.error().message);
  if (!archive_) {
    const std::uint64_t position = layout_.position_of({.member = piece.file, .offset = piece.offset});
    *packed = cut_to_range(std::move(*packed), position);
  }
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
  if (is_open_) co_await write_end(writer);
}

Task<void> CheckpointArchive::write_end(http::Writer& writer) {
  if (!archive_) {
    co_await writer.write(cut_to_range(tar_end(), layout_.position_of({.member = listed_.size()})));
    co_return;
  }
  auto work = [archive = archive_]() -> Result<std::string> {
    DET_TRY(archive->finish());
    return archive->take();
  };
  auto rest = co_await run_guarded(workers_, std::move(work));
  if (!rest) throw std::runtime_error(rest.error().message);
  co_await writer.write(std::move(*rest));
}

}  // namespace det::api
