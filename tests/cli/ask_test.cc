// In a process of its own: what a script has for standard input, output and error.

#include "cli/ask.h"

#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include <gtest/gtest.h>

#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

struct Said {
  std::string out;
  std::string err;
};

// What is printed while `ask` reads the answer "secret", which it gets from a line that ends so.
Said said_by(bool secret, const std::string& ending = "\n") {
  TempFolder folder;
  folder.write("in", "secret" + ending + "more\n");
  const std::string path = folder.path().string();
  const pid_t child = ::fork();
  if (child == 0) {
    const bool opened = std::freopen((path + "/in").c_str(), "r", stdin) != nullptr &&
                        std::freopen((path + "/out").c_str(), "w", stdout) != nullptr &&
                        std::freopen((path + "/err").c_str(), "w", stderr) != nullptr;
    const auto answer = opened ? ask("Password: ", secret) : std::nullopt;
    std::cout << std::flush;
    ::_exit(answer == "secret" ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return {.out = folder.read("out"), .err = folder.read("err")};
}

TEST(Ask, KeepsPromptsForSecretsOutOfTheData) {
  const Said said = said_by(true);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "Password: ");
}

TEST(Ask, TakesLinesFromWindows) {
  said_by(true, "\r\n");
}

TEST(Ask, AsksOtherThingsWhereItsAnswersGo) {
  EXPECT_EQ(said_by(false).out, "Password: ");
}

}  // namespace
}  // namespace det::cli
