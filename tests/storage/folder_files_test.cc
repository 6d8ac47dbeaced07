#include "storage/folder_files.h"

#include <filesystem>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tests/support/run_task.h"

namespace det::storage {
namespace {

namespace fs = std::filesystem;

struct TempFolder {
  std::string path = "/tmp/folder-files-XXXXXX";
  TempFolder() { EXPECT_NE(::mkdtemp(path.data()), nullptr); }
  ~TempFolder() { fs::remove_all(path); }
};

class FolderFilesTest : public testing::Test {
 protected:
  FolderFilesTest() {
    fs::create_directories(root() / "sub" / "empty");
    std::ofstream(root() / "sub" / "w.pt") << "0123456789";
    std::ofstream(root() / "a") << "";
  }
  ~FolderFilesTest() override { workers.join(); }

  [[nodiscard]] fs::path root() const { return fs::path(dir.path) / "uuid"; }
  FolderFiles files(const std::string& uuid = "uuid") { return {workers, dir.path, uuid}; }
  Result<std::vector<StoredFile>> list(const std::string& uuid = "uuid") {
    FolderFiles all = files(uuid);
    return test::run_task(io, all.list());
  }
  Result<std::string> read(const std::string& path, std::uint64_t offset = 0, std::size_t length = 100) {
    FolderFiles all = files();
    return test::run_task(io, all.read({.path = path}, offset, length));
  }

  TempFolder dir;
  asio::io_context io;
  boost::asio::thread_pool workers{1};
};

TEST_F(FolderFilesTest, ListsFilesAndFoldersByPath) {
  auto listed = list();
  ASSERT_TRUE(listed) << listed.error().message;
  for (StoredFile& file : *listed) {
    EXPECT_EQ(file.version.empty(), file.path.ends_with('/')) << file.path;
    file.version.clear();
  }
  const std::vector<StoredFile> wanted = {
      {.path = "a"}, {.path = "sub/"}, {.path = "sub/empty/"}, {.path = "sub/w.pt", .bytes = 10}};
  EXPECT_EQ(*listed, wanted);
  EXPECT_EQ(list("other").error().code, ErrorCode::kNotFound);
}

TEST_F(FolderFilesTest, ReadsParts) {
  EXPECT_EQ(read("sub/w.pt").value(), "0123456789");
  EXPECT_EQ(read("sub/w.pt", 3, 4).value(), "3456");
  EXPECT_EQ(read("sub/w.pt", 10).value(), "");
  EXPECT_EQ(read("nothing").error().code, ErrorCode::kNotFound);
}

// What is sent must not be made of two versions of a file.
TEST_F(FolderFilesTest, ReadsTheVersionThatWasListed) {
  const StoredFile before = list()->at(3);
  FolderFiles all = files();
  EXPECT_EQ(test::run_task(io, all.read(before, 0, 4)).value(), "0123");
  const auto listed_at = fs::last_write_time(root() / "sub" / "w.pt");
  std::ofstream(root() / "sub" / "w.pt") << "abcdefghij";
  fs::last_write_time(root() / "sub" / "w.pt", listed_at + std::chrono::milliseconds(1));
  EXPECT_NE(list()->at(3).version, before.version);
  const auto mixed = test::run_task(io, all.read(before, 4, 4));
  EXPECT_EQ(mixed.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(mixed.error().message, "sub/w.pt was written anew since it was listed");
}

// Programs of users write into this folder, and this process may read more than they.
TEST_F(FolderFilesTest, FollowsNoLinkAndOpensNothingButFiles) {
  std::ofstream(fs::path(dir.path) / "secret") << "secret";
  fs::create_symlink(fs::path(dir.path) / "secret", root() / "link");
  fs::create_directory_symlink(dir.path, root() / "up");
  fs::create_directory_symlink(root(), fs::path(dir.path) / "other");
  ASSERT_EQ(::mkfifo((root() / "pipe").c_str(), 0600), 0);
  for (const StoredFile& file : list().value()) {
    EXPECT_TRUE(file.path.starts_with("sub/") || file.path == "a") << file.path;
  }
  for (const char* path : {"link", "up/secret", "../secret", "sub/../../secret", "/etc/passwd", "pipe", "sub", ""}) {
    const auto got = read(path);
    EXPECT_FALSE(got) << path;
  }
  EXPECT_FALSE(list("other")) << "the checkpoint's own folder is none either";
}

}  // namespace
}  // namespace det::storage
