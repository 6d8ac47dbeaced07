#include "base/tar_layout.h"

#include <utility>

#include <gtest/gtest.h>

#include "base/archive_stream.h"

namespace det {
namespace {

using Members = std::vector<std::pair<std::string, std::uint64_t>>;

// Short names, long ones and others than ASCII, which have headers of other lengths; whole blocks and parts of them.
Members members() {
  return {{"a", 0},
          {"b", 1},
          {"sub/", 0},
          {"sub/" + std::string(90, 'x') + "/" + std::string(90, 'y'), 512},
          {"sub/" + std::string(300, 'z'), 513},
          {"mod\u00e8le.pt", 1024}};
}

std::string packed() {
  ArchiveStream archive(ArchiveForm::kTar);
  for (const auto& [path, bytes] : members()) {
    EXPECT_TRUE(archive.begin(path, bytes));
    EXPECT_TRUE(archive.add(std::string(bytes, 'c')));
  }
  EXPECT_TRUE(archive.finish());
  return archive.take();
}

TEST(TarLayout, SaysWhereEachByteIs) {
  const std::string whole = packed();
  TarLayout layout;
  std::string parts;
  for (const auto& [path, bytes] : members()) {
    ASSERT_TRUE(layout.add(path, bytes));
    EXPECT_EQ(layout.position_of({.member = layout.size() - 1}), parts.size()) << path;
    parts += tar_header(path, bytes).value() + std::string(bytes, 'c') + tar_padding(bytes);
  }
  EXPECT_EQ(layout.position_of({.member = layout.size()}), parts.size());
  parts += tar_end();
  EXPECT_EQ(parts, whole);
  EXPECT_EQ(layout.total(), whole.size());
}

TEST(TarLayout, FindsTheFileOfEachByte) {
  TarLayout layout;
  for (const auto& [path, bytes] : members()) ASSERT_TRUE(layout.add(path, bytes));
  for (std::uint64_t position = 0; position < layout.total(); ++position) {
    const auto place = layout.find(position);
    ASSERT_LE(place.member, layout.size());
    ASSERT_LE(layout.position_of(place), position) << "of " << place.member << " from " << place.offset;
    if (place.member == layout.size()) continue;
    ASSERT_LT(position, layout.position_of({.member = place.member + 1}));
    // What is read anew for a position inside a file is nothing.
    if (place.offset > 0 && place.offset < members()[place.member].second) {
      ASSERT_EQ(layout.position_of(place), position);
    }
  }
}

TEST(TarLayout, OfNothingIsAnEmptyArchive) {
  ArchiveStream archive(ArchiveForm::kTar);
  ASSERT_TRUE(archive.finish());
  EXPECT_EQ(archive.take(), tar_end());
  EXPECT_EQ(TarLayout().total(), tar_end().size());
  EXPECT_EQ(TarLayout().find(0).member, 0U);
}

TEST(TarLayout, RefusesPathsThatLeaveAndSizesThatOverflow) {
  TarLayout layout;
  EXPECT_FALSE(layout.add("../up", 1));
  EXPECT_FALSE(layout.add("/up", 1));
  EXPECT_TRUE(layout.add("large", std::uint64_t{1} << 40));
  for (const std::uint64_t bytes : {~std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 60}) {
    const Status added = layout.add("larger", bytes);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, ErrorCode::kResourceExhausted);
  }
}

}  // namespace
}  // namespace det
