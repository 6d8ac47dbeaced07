#include "base/archive_stream.h"

#include <gtest/gtest.h>

#include "base/tgz.h"

namespace det {
namespace {

std::string packed(ArchiveForm form) {
  ArchiveStream archive(form);
  EXPECT_TRUE(archive.begin("sub/", 0));
  EXPECT_TRUE(archive.begin("sub/mod\u00e8le.pt", 5));
  EXPECT_TRUE(archive.add("ab"));
  EXPECT_TRUE(archive.add("cde"));
  EXPECT_TRUE(archive.begin("empty", 0));
  std::string bytes = archive.take();
  EXPECT_TRUE(archive.finish());
  return bytes + archive.take();
}

TEST(ArchiveStream, PacksWhatTheReaderOfContextsUnpacks) {
  const auto entries = unpack_tgz(packed(ArchiveForm::kTgz), 100);
  ASSERT_TRUE(entries) << entries.error().message;
  ASSERT_EQ(entries->size(), 3U);
  EXPECT_EQ((*entries)[0].type, TarEntry::Type::kDirectory);
  EXPECT_EQ((*entries)[1].path, "sub/mod\u00e8le.pt");
  EXPECT_EQ((*entries)[1].content, "abcde");
  EXPECT_EQ((*entries)[2].path, "empty");
}

TEST(ArchiveStream, StoresInZipsAndTars) {
  const std::string zip = packed(ArchiveForm::kZip);
  EXPECT_TRUE(zip.starts_with("PK\x03\x04"));
  EXPECT_NE(zip.find("abcde"), std::string::npos) << "not compressed";
  EXPECT_NE(zip.find("sub/mod\u00e8le.pt"), std::string::npos);
  const std::string tar = packed(ArchiveForm::kTar);
  EXPECT_NE(tar.find("abcde"), std::string::npos);
  EXPECT_EQ(tar.size() % 512, 0U);
}

TEST(ArchiveStream, GivesBytesWhileAFileIsUnderWay) {
  ArchiveStream archive(ArchiveForm::kZip);
  const std::string piece(1 << 20, 'x');
  ASSERT_TRUE(archive.begin("big", 4 * piece.size()));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(archive.add(piece));
    EXPECT_GE(archive.take().size(), piece.size() / 2) << "nothing is kept for later";
  }
  EXPECT_TRUE(archive.finish());
}

// A client that goes away must not make the server write what it did not read.
TEST(ArchiveStream, DoesNotFillUpWhatIsGivenUp) {
  for (const ArchiveForm form : {ArchiveForm::kTar, ArchiveForm::kTgz, ArchiveForm::kZip}) {
    ArchiveStream archive(form);
    ASSERT_TRUE(archive.begin("large", std::uint64_t{1} << 42));
    ASSERT_TRUE(archive.add("a"));
  }
}

TEST(ArchiveStream, RefusesFilesThatAreNotAsAnnounced) {
  ArchiveStream archive(ArchiveForm::kTar);
  EXPECT_EQ(archive.begin("../up", 1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(archive.begin("/etc/passwd", 1).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(archive.begin("a", 2));
  EXPECT_NE(archive.add("abc").error().message.find("a has grown"), std::string::npos);
  ASSERT_TRUE(archive.add("a"));
  EXPECT_NE(archive.finish().error().message.find("1 bytes less"), std::string::npos);
  EXPECT_FALSE(archive.begin("b", 0));
}

}  // namespace
}  // namespace det
