#include <sys/stat.h>

#include "cli/ssh_session.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kId = "9dff344a-8675-4fb1-8ef8-56d00423ac72";

mode_t mode_of(const std::filesystem::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

struct Shells : CliTest {
  Shells() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}, {"TMPDIR", folder.path().string()}};
    run_program = [this](const std::vector<std::string>& argv) -> Result<int> {
      ran = argv;
      for (std::size_t i = 0; i + 1 < argv.size(); ++i) {
        if (argv[i] == "-i") key_file = argv[i + 1];
      }
      key = folder.read(std::filesystem::relative(key_file, folder.path()));
      key_mode = mode_of(key_file);
      folder_mode = mode_of(key_file.parent_path());
      return exit_code;
    };
  }
  void answer_shell(const std::string& private_key = "KEY\n", const std::string& user = "") {
    http.answer(200, {{"shell",
                       {{"id", kId},
                        {"username", "ann"},
                        {"state", "STATE_RUNNING"},
                        {"privateKey", private_key},
                        {"agentUserGroup", {{"user", user}}}}}});
  }
  void answer_ready() {
    const Json allocation = {{"isReady", true}};
    http.answer(200, {{"task", {{"endTime", nullptr}, {"allocations", Json::array({allocation})}}}});
  }

  std::vector<std::string> ran;
  std::filesystem::path key_file;
  std::string key;
  mode_t key_mode = 0;
  mode_t folder_mode = 0;
  int exit_code = 0;
};

TEST_F(Shells, AreOpenedByTheSystemsSsh) {
  answer_shell();
  answer_ready();
  answer_shell("KEY\n", "ann");
  exit_code = 5;
  const Outcome opened = det({"-m", "http://h:1", "shell", "open", kId, "--", "-L", "1:localhost:2"});
  EXPECT_EQ(opened.code, 5) << "ssh's exit code";
  const std::string program = (folder.path() / "det").string();
  EXPECT_THAT(ran, ElementsAre("ssh", "-o", "ProxyCommand=" + program + " -m http://h:1 -u ann tunnel %h", "-o",
                               "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR",
                               "-tt", "-o", "IdentitiesOnly=yes", "-i", key_file.string(), std::string("ann@") + kId,
                               "-L", "1:localhost:2"));
  EXPECT_THAT(opened.out, HasSubstr(std::string("To reconnect, run: det shell open ") + kId));
}

TEST_F(Shells, LeaveNoKeyBehind) {
  answer_shell();
  answer_ready();
  answer_shell();
  det({"shell", "open", kId});
  EXPECT_EQ(key, "KEY\n");
  EXPECT_EQ(key_mode, 0600U);
  EXPECT_EQ(folder_mode, 0700U);
  EXPECT_FALSE(std::filesystem::exists(key_file.parent_path()));
}

TEST_F(Shells, OfOthersHaveNoKeyToOpenThemWith) {
  answer_shell("");
  answer_ready();
  answer_shell("");
  const Outcome refused = det({"shell", "open", kId});
  EXPECT_EQ(refused.code, kFailed);
  EXPECT_THAT(refused.err, HasSubstr("is only for its owner, user 'ann'"));
  EXPECT_THAT(ran, IsEmpty());
}

TEST_F(Shells, SayThatSshIsMissing) {
  run_program = [](const std::vector<std::string>&) { return fail(ErrorCode::kNotFound, "no ssh"); };
  answer_shell();
  answer_ready();
  answer_shell();
  EXPECT_THAT(det({"shell", "open", kId}).err, HasSubstr("there is no 'ssh' on PATH"));
}

TEST_F(Shells, PrintTheCommandAndKeepItsKey) {
  variables["DET_MASTER_CERT_FILE"] = "noverify";
  answer_shell();
  answer_ready();
  const Outcome shown = det({"shell", "show_ssh_command", kId});
  const std::string place = (folder.path() / ".cache/determined/shell" / kId / "key").string();
  EXPECT_THAT(shown.out, HasSubstr("tunnel %h --cert-file noverify\" -o StrictHostKeyChecking=no"));
  EXPECT_THAT(shown.out, HasSubstr(" -i " + place + " root@" + kId + "\n"));
  EXPECT_EQ(mode_of(place), 0600U);
  EXPECT_THAT(ran, IsEmpty());
}

TEST(SshCommand, SurvivesOddPlaces) {
  const SshLogin login{.program = "/home/a b/100%/det",
                       .master_url = "http://[::1]:80",
                       .det_user = "o'neil",
                       .cert_file = {},
                       .cert_name = {},
                       .remote_user = "root",
                       .shell_id = "x",
                       .key_file = "/k",
                       .options = {}};
  const std::string proxy = ssh_command(login)[2];
  EXPECT_EQ(proxy, "ProxyCommand='/home/a b/100%%/det' -m 'http://[::1]:80' -u 'o'\\''neil' tunnel %h");
  EXPECT_EQ(command_line({"ssh", proxy, "$a`b\"c"}),
            "ssh \"ProxyCommand='/home/a b/100%%/det' -m 'http://[::1]:80' -u 'o'\\\\''neil' tunnel %h\" "
            "\"\\$a\\`b\\\"c\"");
}

}  // namespace
}  // namespace det::cli
