#include "base/archive_extract.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/archive_handle.h"
#include "base/archive_stream.h"

namespace det {
namespace {

namespace fs = std::filesystem;

class Extract : public testing::Test {
 protected:
  Extract() { EXPECT_NE(::mkdtemp(folder.data()), nullptr); }
  ~Extract() override { fs::remove_all(folder); }
  [[nodiscard]] std::string write(const std::string& bytes) const {
    std::ofstream(folder + "/archive", std::ios::binary) << bytes;
    return folder + "/archive";
  }
  [[nodiscard]] std::string read(const std::string& path) const {
    std::ifstream in(folder + "/out/" + path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string folder = "/tmp/extract-XXXXXX";
};

std::string packed(ArchiveForm form) {
  ArchiveStream archive(form);
  EXPECT_TRUE(archive.begin("sub/", 0));
  EXPECT_TRUE(archive.begin("sub/mod\u00e8le.pt", 5));
  EXPECT_TRUE(archive.add("abcde"));
  EXPECT_TRUE(archive.finish());
  return archive.take();
}

TEST_F(Extract, WritesWhatWasPacked) {
  for (const ArchiveForm form : {ArchiveForm::kTar, ArchiveForm::kTgz, ArchiveForm::kZip}) {
    const Status done = extract_archive(write(packed(form)), folder + "/out");
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(read("sub/mod\u00e8le.pt"), "abcde");
    fs::remove_all(folder + "/out");
  }
}

// Its link names a file outside, and its content would be written there.
TEST_F(Extract, RefusesAHardLinkThatHasContent) {
  std::ofstream(folder + "/victim") << "mine";
  const ArchiveWriter made(archive_write_new());
  archive_write_set_format_pax(made.get());
  ASSERT_EQ(archive_write_open_filename(made.get(), (folder + "/archive").c_str()), ARCHIVE_OK);
  archive_entry* entry = archive_entry_new();
  archive_entry_set_pathname(entry, "link.txt");
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  archive_entry_set_hardlink(entry, (folder + "/victim").c_str());
  archive_entry_set_size(entry, 5);
  ASSERT_EQ(archive_write_header(made.get(), entry), ARCHIVE_OK);
  archive_write_data(made.get(), "EVIL!", 5);
  archive_entry_free(entry);
  ASSERT_EQ(archive_write_close(made.get()), ARCHIVE_OK);
  const Status done = extract_archive(folder + "/archive", folder + "/out");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "the archive holds 'link.txt', which is a hard link");
  std::ifstream victim(folder + "/victim");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(victim), {}), "mine");
}

TEST_F(Extract, GoesThroughLinksThatLeadToTheFolder) {
  fs::create_directories(folder + "/large/disk");
  fs::create_directory_symlink("large", folder + "/home");
  const Status done = extract_archive(write(packed(ArchiveForm::kTar)), folder + "/home/disk");
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_TRUE(fs::exists(folder + "/large/disk/sub/mod\u00e8le.pt"));
}

TEST_F(Extract, GoesThroughNoLinkBelowTheFolder) {
  fs::create_directories(folder + "/out");
  fs::create_directories(folder + "/other");
  fs::create_directory_symlink("../other", folder + "/out/sub");
  EXPECT_TRUE(extract_archive(write(packed(ArchiveForm::kTar)), folder + "/out")) << "a folder takes its place";
  EXPECT_EQ(read("sub/mod\u00e8le.pt"), "abcde");
  EXPECT_TRUE(fs::is_empty(folder + "/other"));
}

// As on a disk that is full.
TEST_F(Extract, FailsWhereAFileCannotBeWrittenWhole) {
  const std::string archive = write(packed(ArchiveForm::kTar));
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit all{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &all), 0);
  const rlimit few{.rlim_cur = 2, .rlim_max = all.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &few), 0);
  const Status done = extract_archive(archive, folder + "/out");
  ::setrlimit(RLIMIT_FSIZE, &all);
  std::signal(SIGXFSZ, before);
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, testing::HasSubstr("mod\u00e8le.pt cannot be written: File too large"));
}

TEST_F(Extract, RefusesHalfOfOne) {
  const std::string whole = packed(ArchiveForm::kTgz);
  EXPECT_FALSE(extract_archive(write(whole.substr(0, whole.size() / 2)), folder + "/out"));
  EXPECT_FALSE(extract_archive(write("no archive"), folder + "/out"));
}

// A name in an archive is the server's word, and leads out of the folder all the same.
TEST_F(Extract, LeavesTheFolderByNoName) {
  std::string tar = packed(ArchiveForm::kTar);
  const std::size_t at = tar.find("sub/mod");
  ASSERT_NE(at, std::string::npos);
  tar.replace(at, 7, "../../m");
  EXPECT_FALSE(extract_archive(write(tar), folder + "/out")) << "its checksum is wrong, too";
  EXPECT_FALSE(fs::exists(fs::path(folder).parent_path() / "m"));
}

}  // namespace
}  // namespace det
