#include "cli/daemon_log.h"

#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

TEST(DaemonLog, TellsWhatWasSaidOfThePythonSinceTheStart) {
  TempFolder folder;
  const std::string old = "2026 warning local: configuration note=\"trials will fail: old\"\n";
  const std::string file = folder.write(
      "log",
      old +
          "2026 info local: starting python=/usr\n"
          "2026 warning local: configuration note=\"trials will fail: python has no \\\"x\\\":\\n  C:\\\\new\" a=b\n");
  EXPECT_EQ(warning_of_python(file, old.size()), "trials will fail: python has no \"x\":\n  C:\\new");
  EXPECT_EQ(warning_of_python(file, 0), "trials will fail: old");
  EXPECT_EQ(warning_of_python(file, 100'000), "");
  EXPECT_EQ(warning_of_python(folder.path() / "none", 0), "");
}

TEST(DaemonLog, HasItsLastLines) {
  TempFolder folder;
  const std::string file = folder.write("log", "a\nb\nc\n");
  EXPECT_EQ(log_tail(file, 2), "  b\n  c\n");
}

}  // namespace
}  // namespace det::cli
