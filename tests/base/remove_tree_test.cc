#include "base/remove_tree.h"

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
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

constexpr int kVeryDeep = 4000;

// A chain of folders named "a" below `top`, and what `at_each` makes in those it likes.
void make_deep(const fs::path& top, int levels, const std::function<void(int folder, int level)>& at_each) {
  fs::create_directories(top);
  int folder = ::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (int level = 0; level < levels && folder >= 0; ++level) {
    at_each(folder, level);
    ::mkdirat(folder, "a", 0700);
    const int next = ::openat(folder, "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ::close(folder);
    folder = next;
  }
  ASSERT_GE(folder, 0);
  ::close(folder);
}

void make_file(int folder, const char* name) {
  const int file = ::openat(folder, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  ::close(file);
}

// In a process that may have few descriptors; the hard limit stays, for what runs the check.
bool removes_with_few_descriptors(const fs::path& path) {
  constexpr ::rlim_t kFew = 64;
  ::rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = kFew;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return !remove_tree(path) && !fs::exists(fs::symlink_status(path));
}

TEST(RemoveTree, TakesMoreLevelsThanThereAreDescriptors) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              make_deep(folder / "data", kVeryDeep, [](int, int) {});
              return removes_with_few_descriptors(folder / "data") && fs::is_empty(folder);
            }),
            0);
}

TEST(RemoveTree, TakesWhatIsWideAndDeep) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              make_deep(folder / "data", 300, [](int at, int level) {
                for (int i = 0; i < 5; ++i) {
                  const std::string name = "b" + std::to_string(i);
                  make_file(at, ("f" + std::to_string(i)).c_str());
                  ::mkdirat(at, name.c_str(), 0700);
                  make_file(at, (name + "/f").c_str());
                }
                if (level % 7 == 0) ::symlinkat("a", at, "to-next");
              });
              for (int i = 0; i < 40; ++i) {
                make_deep(folder / "data" / ("c" + std::to_string(i)), 40, [](int at, int) { make_file(at, "f"); });
              }
              for (int i = 0; i < 5000; ++i) write(folder / "data/many" / std::to_string(i));
              return removes_with_few_descriptors(folder / "data") && fs::is_empty(folder);
            }),
            0);
}

// Those that are moved up must be made writable first.
TEST(RemoveTree, TakesClosedFoldersAtAnyDepth) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              std::vector<int> closed;
              make_deep(folder / "data", 200, [&](int at, int) { closed.push_back(::dup(at)); });
              for (std::size_t i = 0; i < closed.size(); ++i) {
                ::fchmod(closed[i], i % 2 == 0 ? 0000 : 0555);
                ::close(closed[i]);
              }
              return removes_with_few_descriptors(folder / "data") && fs::is_empty(folder);
            }),
            0);
}

TEST(RemoveTree, FollowsNoLinksAtAnyDepth) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              write(folder / "kept/file");
              make_deep(folder / "data", 100, [&](int at, int) { ::symlinkat((folder / "kept").c_str(), at, "link"); });
              return removes_with_few_descriptors(folder / "data") && fs::exists(folder / "kept/file");
            }),
            0);
}

TEST(RemoveTree, RemovesALinkAndNotWhatItShows) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              write(folder / "kept/file");
              fs::create_directory_symlink(folder / "kept", folder / "link");
              return !remove_tree(folder.string() + "/link/") && !fs::is_symlink(folder / "link") &&
                     fs::exists(folder / "kept/file");
            }),
            0);
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
  EXPECT_FALSE(remove_tree("/dev/null/x"));
}

// Nobody may remove what the kernel shows there.
TEST(RemoveTrees, GoesOnBehindWhatCannotBeRemoved) {
  EXPECT_EQ(as_ordinary_user([](const fs::path& folder) {
              write(folder / "data/file");
              const Status removed = remove_trees({"/proc/version", (folder / "data").string()});
              return !removed && removed.error().message.starts_with("/proc/version: ") && fs::is_empty(folder);
            }),
            0);
}

}  // namespace
}  // namespace det
