#include <sys/stat.h>

#include "cli/context_reader.h"
#include "cli/ignore_rules.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

bool ignored(const std::string& rules, const std::string& path, bool is_folder = false) {
  IgnoreRules all;
  all.add(rules);
  return all.ignores(path, is_folder);
}

TEST(IgnoreRules, LeaveOutWhatNobodyWants) {
  EXPECT_TRUE(ignored("", "__pycache__", true));
  EXPECT_TRUE(ignored("", "a/b/x.pyc"));
  EXPECT_TRUE(ignored("", ".git", true));
  EXPECT_TRUE(ignored("", "shared_fs"));
  EXPECT_TRUE(ignored("", "a/terraform.tfstate.backup"));
  EXPECT_FALSE(ignored("", "a/shared_fs"));
  EXPECT_FALSE(ignored("", "model.py"));
  EXPECT_FALSE(ignored("", "__pycache__"));  // a file of that name
}

TEST(IgnoreRules, FollowGitignore) {
  EXPECT_TRUE(ignored("*.ckpt", "deep/down/x.ckpt"));
  EXPECT_TRUE(ignored("data/", "data", true));
  EXPECT_TRUE(ignored("data/", "data/x"));
  EXPECT_FALSE(ignored("data/", "data"));
  EXPECT_TRUE(ignored("/top", "top"));
  EXPECT_FALSE(ignored("/top", "a/top"));
  EXPECT_TRUE(ignored("a/*.txt", "a/x.txt"));
  EXPECT_FALSE(ignored("a/*.txt", "a/b/x.txt"));
  EXPECT_FALSE(ignored("a/*.txt", "b/a/x.txt"));
  EXPECT_TRUE(ignored("**/logs", "x/y/logs", true));
  EXPECT_TRUE(ignored("**/logs", "logs", true));
  EXPECT_TRUE(ignored("a/**/b", "a/b"));
  EXPECT_TRUE(ignored("a/**/b", "a/x/y/b"));
  EXPECT_TRUE(ignored("a/**", "a/x"));
  EXPECT_FALSE(ignored("a/**", "a", true));
  EXPECT_TRUE(ignored("file[0-9].[!c]", "file7.h"));
  EXPECT_FALSE(ignored("file[0-9].[!c]", "file7.c"));
  EXPECT_TRUE(ignored("a?c", "abc"));
  EXPECT_FALSE(ignored("# *.py\n\n", "x.py"));
  EXPECT_TRUE(ignored("\\#x", "#x"));
  EXPECT_TRUE(ignored("x  \r\n", "x"));
  EXPECT_TRUE(ignored("x\\ ", "x "));
}

TEST(IgnoreRules, LetALaterRuleBringSomethingBack) {
  EXPECT_FALSE(ignored("*.bin\n!keep.bin", "keep.bin"));
  EXPECT_TRUE(ignored("*.bin\n!keep.bin", "other.bin"));
  EXPECT_TRUE(ignored("*.bin\n!keep.bin\nkeep.*", "keep.bin"));
}

std::vector<std::string> paths(const Context& context) {
  std::vector<std::string> all;
  for (const auto& file : context.files) all.push_back(file.path + (file.is_folder ? "/" : ""));
  return all;
}

Result<Context> read(const ContextRequest& request) {
  return read_context(request, [](const Context&) {});
}

TEST(Context, ListsFoldersBeforeFilesAndLeavesOutWhatDetignoreSays) {
  const TempFolder folder;
  folder.write("train.py", "print(1)");
  folder.write("sub/deep/b.txt", "b");
  folder.write("sub/a.txt", "aaaa");
  folder.write("data/big.bin", "x");
  folder.write("__pycache__/train.pyc", "x");
  folder.write(".detignore", "data\n");
  const auto context = read({.folder = folder.path(), .includes = {}});
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_THAT(paths(*context), ElementsAre("sub/", "train.py", "sub/deep/", "sub/a.txt", "sub/deep/b.txt"));
  EXPECT_EQ(context->bytes, 9U + 6U + 3U);  // whole groups of three
}

TEST(Context, KeepsTheNamesOfIncludes) {
  const TempFolder folder;
  folder.write("code/train.py", "1");
  folder.write("lib/util.py", "2");
  folder.write("one.txt", "3");
  const auto context =
      read({.folder = folder.path() / "code", .includes = {folder.path() / "lib", folder.path() / "one.txt"}});
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_THAT(paths(*context), ElementsAre("train.py", "lib/", "lib/util.py", "one.txt"));
}

TEST(Context, TravelsInTheFormOfThePythonCommandLine) {
  const TempFolder folder;
  const std::string file = folder.write("a.txt", "hello");
  ::chmod(file.c_str(), 0640);
  const auto context = read({.folder = folder.path(), .includes = {}});
  ASSERT_TRUE(context);
  const Json list = to_json(*context);
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0]["path"], "a.txt");
  EXPECT_EQ(list[0]["type"], 48);
  EXPECT_EQ(list[0]["content"], "aGVsbG8=");
  EXPECT_EQ(list[0]["mode"], 0100640);
  EXPECT_TRUE(list[0]["mtime"].is_string());
  EXPECT_EQ(list[0]["uid"], 0);
}

TEST(Context, SendsALinkToAFolderAsAnEmptyOneAndSkipsWhatIsNoFile) {
  const TempFolder folder;
  folder.write("real/x", "x");
  std::filesystem::create_directory_symlink(folder.path() / "real", folder.path() / "link");
  std::filesystem::create_symlink(folder.path() / "nowhere", folder.path() / "broken");
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const auto context = read({.folder = folder.path(), .includes = {}});
  ASSERT_TRUE(context) << context.error().message;
  EXPECT_THAT(paths(*context), ElementsAre("link/", "real/", "real/x"));
  EXPECT_THAT(context->unreadable,
              ElementsAre(HasSubstr("'broken'"), HasSubstr("'pipe', skipping this file: it is no file")));
}

// The kernel gives an error for the first page of it, as a file system does that lost its server.
TEST(Context, SendsNoHalfOfAFile) {
  const auto context = read({.folder = {}, .includes = {"/proc/self/mem"}});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().message, "Error reading 'mem': Input/output error");
}

TEST(Context, SendsAnIncludeOrNothing) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  const auto context = read({.folder = {}, .includes = {folder.path() / "pipe"}});
  ASSERT_FALSE(context);
  EXPECT_EQ(context.error().message, "Error reading 'pipe': it is no file");
}

// Two of them could otherwise come out as one.
TEST(Context, RefusesNamesThatAreNotUtf8) {
  const TempFolder folder;
  folder.write(
      "data/b\xff\xfe"
      "d",
      "1");
  folder.write("data/gr\xc3\xbc\xc3\x9f", "2");
  EXPECT_EQ(
      read({.folder = folder.path(), .includes = {}}).error().message,
      "the name of 'data/b\\xff\\xfed' is not UTF-8 and cannot be sent: rename it, or leave it out with a pattern "
      "in .detignore");
  std::filesystem::rename(folder.path() / "data", folder.path() / "\xe9");
  EXPECT_THAT(read({.folder = folder.path(), .includes = {}}).error().message, HasSubstr("the name of '\\xe9' is not"));
  folder.write(".detignore", "\xe9\n");
  EXPECT_TRUE(read({.folder = folder.path(), .includes = {}}));
}

TEST(Context, RefusesWhatCannotBeSent) {
  const TempFolder folder;
  const std::string file = folder.write("code/a.txt", "1");
  folder.write("other/a.txt", "2");
  EXPECT_THAT(read({.folder = file, .includes = {}}).error().message, HasSubstr("must be a directory"));
  EXPECT_THAT(read({.folder = folder.path() / "none", .includes = {}}).error().message, HasSubstr("doesn't exist"));
  EXPECT_THAT(read({.folder = folder.path() / "code", .includes = {folder.path() / "other" / "a.txt"}}).error().message,
              HasSubstr("duplicate path detected: 'a.txt'"));
  std::filesystem::resize_file(file, kMaxContextBytes + 1);
  EXPECT_THAT(read({.folder = folder.path() / "code", .includes = {}}).error().message,
              HasSubstr("exceeds the maximum allowed size 95.0MB (at 'a.txt', 95.0MB)"));
}

}  // namespace
}  // namespace det::cli
