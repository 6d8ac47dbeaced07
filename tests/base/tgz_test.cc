#include "base/tgz.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <limits>

#include "base/gzip.h"

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

TEST(Tgz, HasTimesThatCanBeWritten) {
  const auto time_of = [](std::int64_t mtime) {
    return unpack_tgz(pack_tgz({{.path = "a", .mtime = mtime, .content = ""}}).value(), 10).value().at(0).mtime;
  };
  EXPECT_EQ(time_of(-5), 0);
  EXPECT_EQ(time_of(std::numeric_limits<std::int64_t>::min()), 0);
  EXPECT_EQ(time_of(std::numeric_limits<std::int64_t>::max()), 253'402'300'799);
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

// The header of an old GNU sparse entry, whose ten bytes come behind a hole, and these bytes.
std::string sparse_entry(const std::string& name, std::size_t hole) {
  const auto octal = [](std::size_t value) {
    std::string digits(12, '\0');
    std::snprintf(digits.data(), digits.size(), "%011zo", value);
    return digits;
  };
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(100, 7, "0000644");
  header.replace(124, 12, octal(10));  // as many as follow
  header.replace(136, 12, octal(0));
  header[156] = 'S';
  header.replace(257, 7, "ustar  ");
  header.replace(386, 12, octal(hole));
  header.replace(398, 12, octal(10));
  header.replace(483, 12, octal(hole + 10));
  header.replace(148, 8, 8, ' ');
  std::size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  header.replace(148, 7, octal(sum).substr(5, 6) + std::string(1, '\0'));
  return header + "0123456789" + std::string(502, '\0');
}

TEST(Tgz, CountsTheHolesOfSparseEntries) {
  const auto one = gzip(sparse_entry("a", 600) + std::string(1024, '\0'));
  const auto two = gzip(sparse_entry("a", 600) + sparse_entry("b", 600) + std::string(1024, '\0'));
  ASSERT_TRUE(one && two);
  const auto unpacked = unpack_tgz(*one, 1000);
  ASSERT_TRUE(unpacked) << unpacked.error().message;
  EXPECT_EQ(unpacked->front().content, std::string(600, '\0') + "0123456789");
  const auto refused = unpack_tgz(*two, 1000);
  ASSERT_FALSE(refused) << "1,220 bytes of two kilobytes";
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(unpack_tgz(*two, 1220));
}

}  // namespace
}  // namespace det
