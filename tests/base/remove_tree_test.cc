#include "base/remove_tree.h"

#include <fstream>
#include <functional>
#include <string>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace det {
namespace {

namespace fs = std::filesystem;

// Permissions hold back an ordinary user only: 0 when `check` was true for one.
int as_ordinary_user(const std::function<bool(const fs::path& folder)>& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr ::uid_t kNobody = 65534;
    if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(2);
    std::string name = (fs::temp_directory_path() / "det-tree.XXXXXX").string();
    const fs::path folder = ::mkdtemp(name.data());
    const bool is_right = check(folder);
    fs::remove_all(folder);
    ::_exit(is_right ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void write(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "x";
}

TEST(RemoveTree, TakesFoldersThatTheirOwnerMayNotWriteTo) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              write(folder / "data/deep/file");
              write(folder / "data/closed/file");
              fs::permissions(folder / "data/deep", fs::perms(0555));
              fs::permissions(folder / "data/closed", fs::perms(0000));
              fs::permissions(folder / "data", fs::perms(0555));
              std::error_code plain;
              fs::remove_all(folder / "data", plain);
              return plain && !remove_tree(folder / "data") && !fs::exists(folder / "data");
            }),
            0);
}

TEST(RemoveTree, FollowsNoLinks) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              write(folder / "kept/file");
              fs::permissions(folder / "kept", fs::perms(0555));
              write(folder / "data/deep/file");
              fs::create_directory_symlink(folder / "kept", folder / "data/deep/link");
              fs::permissions(folder / "data/deep", fs::perms(0555));
              const bool is_gone = !remove_tree(folder / "data") && !fs::exists(folder / "data");
              const bool is_kept =
                  fs::exists(folder / "kept/file") && fs::status(folder / "kept").permissions() == fs::perms(0555);
              fs::permissions(folder / "kept", fs::perms(0755));
              return is_gone && is_kept;
            }),
            0);
}

TEST(RemoveTree, WhatIsNotThereIsNoError) {
  EXPECT_FALSE(remove_tree("/nowhere/at/all"));
}

}  // namespace
}  // namespace det
