#include "base/tgz.h"

#include <gtest/gtest.h>

namespace det {
namespace {

const std::vector<TarEntry> kTree = {
    {.path = "sub", .type = TarEntry::Type::kDirectory, .mode = 0755, .mtime = 1795228856, .content = ""},
    {.path = "const.yaml", .mode = 0644, .mtime = 1795228856, .content = "name: x\n"},
    {.path = "sub/empty.txt", .mode = 0600, .mtime = 1, .content = ""}};

TEST(Tgz, UnpacksWhatItPacked) {
  const auto bytes = pack_tgz(kTree);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const auto entries = unpack_tgz(*bytes, 1000);
  ASSERT_TRUE(entries) << entries.error().message;
  EXPECT_EQ(*entries, kTree);
}

TEST(Tgz, PacksTheSameBytesEveryTime) {
  EXPECT_EQ(pack_tgz(kTree), pack_tgz(kTree));
}

TEST(Tgz, RefusesPathsThatLeaveTheFolder) {
  for (const char* path : {"/etc/passwd", "../x", "a/../../x", ""}) {
    const auto bytes = pack_tgz({TarEntry{.path = path, .content = ""}});
    ASSERT_FALSE(bytes) << path;
    EXPECT_EQ(bytes.error().code, ErrorCode::kInvalidArgument);
  }
}

TEST(Tgz, RefusesBytesThatAreNoArchive) {
  EXPECT_FALSE(unpack_tgz("definitely not gzip", 1000));
}

TEST(Tgz, StopsAtTheSizeLimit) {
  const auto bytes = pack_tgz({TarEntry{.path = "zeros", .content = std::string(100'000, '\0')}});
  ASSERT_TRUE(bytes);
  const auto entries = unpack_tgz(*bytes, 1000);
  ASSERT_FALSE(entries);
  EXPECT_EQ(entries.error().code, ErrorCode::kResourceExhausted);
}

}  // namespace
}  // namespace det
