#include "base/tar_layout.h"

#include <algorithm>

#include "base/archive_stream.h"
#include "base/check.h"

namespace det {

namespace {

constexpr std::uint64_t kBlock = 512;
constexpr std::size_t kEndBlocks = 2;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 60;  // of an archive: positions never overflow

std::uint64_t rounded_up(std::uint64_t bytes) {
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

}  // namespace

Result<std::string> tar_header(const std::string& path, std::uint64_t bytes) {
  ArchiveStream archive(ArchiveForm::kTar);
  DET_TRY(archive.begin(path, bytes));
  return archive.take();
}

std::string tar_padding(std::uint64_t bytes) {
  std::string zeros(static_cast<std::size_t>(rounded_up(bytes) - bytes), '\0');
  return zeros;
}

std::string tar_end() {
  std::string zeros(static_cast<std::size_t>(kEndBlocks * kBlock), '\0');
  return zeros;
}

std::uint64_t TarLayout::end_of_members() const {
  if (members_.empty()) return 0;
  const Member& last = members_.back();
  return last.content + rounded_up(last.bytes);
}

Status TarLayout::add(const std::string& path, std::uint64_t bytes) {
  const std::uint64_t begins = end_of_members();
  if (begins >= kMostBytes || bytes >= kMostBytes - begins) {
    return fail(ErrorCode::kResourceExhausted, path + " says that it has " + std::to_string(bytes) + " bytes");
  }
  const auto header = tar_header(path, bytes);
  DET_TRY(header);
  members_.push_back({.begins = begins, .content = begins + header->size(), .bytes = path.ends_with('/') ? 0 : bytes});
  return {};
}

TarLayout::Place TarLayout::find(std::uint64_t position) const {
  DET_CHECK(position < total(), "a position in the archive");
  if (position >= end_of_members()) return {.member = members_.size()};
  const auto after = std::ranges::upper_bound(members_, position, {}, &Member::begins);
  const auto member = after - 1;
  const std::uint64_t offset = position > member->content ? std::min(position - member->content, member->bytes) : 0;
  return {.member = static_cast<std::size_t>(member - members_.begin()), .offset = offset};
}

std::uint64_t TarLayout::position_of(Place place) const {
  if (place.member == members_.size()) return end_of_members();
  const Member& member = members_[place.member];
  return place.offset == 0 ? member.begins : member.content + place.offset;
}

std::uint64_t TarLayout::total() const {
  return end_of_members() + kEndBlocks * kBlock;
}

}  // namespace det
