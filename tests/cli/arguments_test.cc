#include "cli/completion.h"
#include "cli/program.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Arguments : CliTest {};

TEST_F(Arguments, ThatAreWrongNameWhatIsWrongAndEndWith2) {
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{}, "det: no subcommand specified"},
      {{"foo"}, "det: error: unknown command 'foo'; there are: experiment, "},
      {{"e", "foo"}, "det experiment: error: unknown command 'foo'; there are: list, "},
      {{"e", "create"}, "det experiment create: error: config_file is required"},
      {{"e", "pause", "x"}, "det experiment pause: error: experiment_id: 'x' is not a whole number of at least 1"},
      {{"e", "pause", "1", "2"}, "det experiment pause: error: this argument was not expected: 2 (see"},
      {{"e", "pause", "1", "--at", "80"}, "error: these arguments were not expected: --at 80 (see"},
      {{"e", "create", "--publish", "80", "c.yaml", "."},
       "det experiment create: error: --publish: ports are published"},
      {{"e", "create", "-p80:80", "c.yaml"}, "error: -p: ports are published"},
      {{"e", "create", "--local"}, "--dry-run has the master check"},
      {{"e", "logs", "1", "--head", "1", "--tail", "1"}, "--head excludes --tail"},
      {{"e", "list", "--pages", "3"}, "--pages: 3 not in {1,all}"},
      {{"d", "local", "cluster-up", "--port", "0"}, "--port: '0' is not a whole number from 1 to 65535"},
  };
  for (const auto& [arguments, text] : wrong) {
    const Outcome done = det(arguments);
    EXPECT_EQ(done.code, 2) << text;
    EXPECT_THAT(done.err, HasSubstr(text));
    EXPECT_EQ(done.out, "");
  }
  EXPECT_THAT(http.requests(), IsEmpty());
}

TEST_F(Arguments, ForHelpAndVersionNeedNoServer) {
  EXPECT_THAT(det({"--help"}).out, HasSubstr("experiment"));
  EXPECT_THAT(det({"e", "create", "--help"}).out, HasSubstr("det experiment create [OPTIONS] config_file [model_def]"));
  EXPECT_THAT(det({"t"}).out, HasSubstr("det trial [OPTIONS] [SUBCOMMAND]"));
  EXPECT_THAT(det({"-v"}).out, HasSubstr("0.38.1"));
  EXPECT_THAT(http.requests(), IsEmpty());
}

TEST_F(Arguments, MasterMayStandBehindTheCommand) {
  variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};
  http.answer(200, Json::object());
  EXPECT_EQ(det({"e", "kill", "1", "-m", "there:1"}).code, 0);
  EXPECT_EQ(http.requests()[0].url, "http://there:1/api/v1/experiments/1/kill");
}

TEST_F(Arguments, VersionSaysWhoItIsWithoutAMaster) {
  http.fail_with(ErrorCode::kUnavailable, "refused");
  const Outcome done = det({"version"});
  EXPECT_EQ(done.code, 0);
  EXPECT_THAT(done.out, HasSubstr("master_address: http://localhost:8080"));
  EXPECT_THAT(done.err, HasSubstr("cannot reach a master"));
}

std::vector<std::string> complete(const std::vector<std::string>& words) {
  Program program;
  return completions(program.root(), words);
}

TEST(Completion, OffersCommandsAndOptions) {
  EXPECT_THAT(complete({""}),
              ElementsAre("agent", "auth", "checkpoint", "command", "completion", "config-policies", "deploy",
                          "experiment", "job", "master", "model", "notebook", "oauth", "preview-search", "project",
                          "rbac", "resource-pool", "resources", "shell", "slot", "task", "template", "tensorboard",
                          "token", "trial", "tunnel", "user", "user-group", "version", "workspace"));
  EXPECT_THAT(complete({"shell", "o"}), ElementsAre("open"));
  EXPECT_THAT(complete({"cmd", "run", "--det"}), ElementsAre("--detach"));
  EXPECT_THAT(complete({"e", "list-"}), ElementsAre("list-checkpoints", "list-trials"));
  EXPECT_THAT(complete({"-m", "host", "experiment", "create", "--pa"}), ElementsAre("--paused"));
  EXPECT_THAT(complete({"e", "list", "--"}), Contains("--master"));
}

TEST(Completion, LeavesFilesToTheShell) {
  EXPECT_THAT(complete({"e", "create", ""}), IsEmpty());
  EXPECT_THAT(complete({"-m", ""}), IsEmpty()) << "the value of an option";
}

TEST(Completion, KnowsThreeShells) {
  for (const char* shell : {"bash", "zsh", "fish"}) EXPECT_THAT(completion_script(shell), HasSubstr("__complete"));
  EXPECT_THAT(completion_script("tcsh"), IsEmpty());
}

}  // namespace
}  // namespace det::cli
