#include "local/python_check.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>

#include "tests/local/scratch.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct PythonCheck : testing::Test {
  // An environment whose Python does this.
  std::string environment(const std::string& script, const char* name = "python") {
    const fs::path program = fs::path(scratch.path()) / "bin" / name;
    fs::create_directories(program.parent_path());
    std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(program, fs::perms::owner_all);
    return scratch.path();
  }
  test::Scratch scratch;
};

TEST_F(PythonCheck, IsContentWithOneThatHasThePackage) {
  EXPECT_TRUE(check_harness_package(environment("[ \"$1\" = -I ] && exit 0; exit 9", "python3"), "0.38.1"));
}

TEST_F(PythonCheck, SaysWhatIsMissingAndHowToGetIt) {
  const Status checked = check_harness_package(environment("exit 3"), "0.38.1");
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message,
            scratch.path() +
                "/bin/python has no package 'determined', which every trial needs. Make an environment that has it and "
                "name it with --python:\n  python3 -m venv train && train/bin/pip install determined==0.38.1 && det "
                "deploy local cluster-up --python train");
}

TEST_F(PythonCheck, SaysThatItCannotBeRun) {
  EXPECT_THAT(check_harness_package(environment("exit 1"), "1").error().message,
              HasSubstr("cannot be run: it ended with exit code 1. Make an environment"));
  EXPECT_THAT(check_harness_package(scratch.path() + "/nowhere", "1").error().message,
              HasSubstr("nowhere/bin/python3 cannot be run: "));
}

// The machine's own, whatever it has: the question itself is one that Python understands.
TEST_F(PythonCheck, AsksWhatPythonUnderstands) {
  const Status checked = check_harness_package("", "1");
  if (!checked) EXPECT_THAT(checked.error().message, HasSubstr("python3 has no package 'determined'"));
}

}  // namespace
}  // namespace det::local
