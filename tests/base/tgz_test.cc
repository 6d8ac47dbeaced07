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

// libarchive read through a null pointer, in a program without a locale.
TEST(Tgz, TakesNamesInAnyAlphabet) {
  std::string longest;
  for (int i = 0; i < 40; ++i) longest += "donn\u00e9es/";
  for (const std::string& path : {std::string("mod\u00e8le.py"), std::string("\u6a21\u578b/a.py"), longest + "a",
                                  std::string("no utf-8: \xff\xfe"), std::string(300, 'a')}) {
    const auto packed = pack_tgz({{.path = path, .content = "x"}, {.path = "plain.py", .content = "y"}});
    ASSERT_TRUE(packed) << path;
    const auto entries = unpack_tgz(*packed, 100);
    ASSERT_TRUE(entries) << path << ": " << entries.error().message;
    ASSERT_EQ(entries->size(), 2U) << path;
    EXPECT_EQ(entries->front().path, path);
  }
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

TEST(Tgz, RefusesAFileWithTheNameOfAFolder) {
  EXPECT_FALSE(pack_tgz({{.path = "a.py/", .content = "x"}}));
  EXPECT_TRUE(pack_tgz({{.path = "d/", .type = TarEntry::Type::kDirectory}}));
}

TEST(Tgz, RefusesBytesThatAreNoArchive) {
  EXPECT_FALSE(unpack_tgz("definitely not gzip", 1000));
}

// A header of nothing compresses to three bytes: a small upload could fill the memory.
TEST(Tgz, StopsAtAnyNumberOfEmptyFilesAndLongNames) {
  std::vector<TarEntry> many;
  for (std::size_t i = 0; i <= kMostTarEntries; ++i) many.push_back({.path = std::to_string(i), .content = ""});
  const auto packed = pack_tgz(many);
  ASSERT_TRUE(packed);
  EXPECT_FALSE(unpack_tgz(*packed, 1000));
  many.pop_back();
  EXPECT_TRUE(unpack_tgz(*pack_tgz(many), 1000));
  many.resize(170);
  for (std::size_t i = 0; i < many.size(); ++i) many[i].path = std::string(100'000 + i, 'a');
  EXPECT_FALSE(unpack_tgz(*pack_tgz(many), 1000));
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
