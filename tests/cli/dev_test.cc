#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Dev : CliTest {
  Dev() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T0k"}, {"TMPDIR", folder.path().string()}};
    run_program = [this](const std::vector<std::string>& command) -> Result<int> {
      argv = command;
      const std::string file = command.at(3).substr(1);
      header = folder.read(std::filesystem::relative(file, folder.path()).string());
      return 7;
    };
  }
  std::vector<std::string> argv;
  std::string header;
};

TEST_F(Dev, PrintsTheToken) {
  EXPECT_EQ(det({"dev", "auth-token"}).out, "T0k\n");
}

TEST_F(Dev, RunsCurlWithoutTheTokenAmongItsArguments) {
  const Outcome done = det({"-m", "http://host:1", "dev", "curl", "/", "-X", "POST", "-m", "5"});
  EXPECT_EQ(done.code, 7);
  EXPECT_EQ(done.out, "");
  argv.at(3) = "@";
  EXPECT_THAT(argv, ElementsAre("curl", "http://host:1/", "-H", "@", "-s", "--globoff", "-X", "POST", "-m", "5"));
  EXPECT_EQ(header, "Authorization: Bearer T0k\n");
  for (const auto& left : std::filesystem::directory_iterator(folder.path())) {
    ADD_FAILURE() << left.path() << " is left behind";
  }
}

// Where the parser takes a list apart, curl would be told a second address, and send it the token, too.
TEST_F(Dev, GivesCurlItsWordsAsTheyAre) {
  EXPECT_EQ(det({"-m", "http://host:1", "dev", "curl", "/x", "-d", "[1,http://other/]", "[]", "[[a],b]"}).code, 7);
  argv.at(3) = "@";
  EXPECT_THAT(argv, ElementsAre("curl", "http://host:1/x", "-H", "@", "-s", "--globoff", "-d", "[1,http://other/]",
                                "[]", "[[a],b]"));
}

TEST_F(Dev, NamesWordsAsTheyWereTyped) {
  EXPECT_THAT(det({"e", "list", "[x]"}).err, HasSubstr("this argument was not expected: [x] (see"));
  EXPECT_THAT(det({"e", "describe", "--json", "[x]", "[y]"}).err, Not(HasSubstr("\x01")));
  EXPECT_THAT(det({"e", "wait", "[7]"}).err, HasSubstr("'[7]' is not a whole number"));
}

TEST_F(Dev, ShowsACommandThatAsksForTheToken) {
  const Outcome done = det({"-m", "http://host:1", "dev", "c", "-x", "/api/v1/experiments?limit=1"});
  EXPECT_EQ(done.out,
            "curl \"http://host:1/api/v1/experiments?limit=1\" -H \"Authorization: Bearer $(det -m http://host:1 dev "
            "auth-token)\" -s --globoff\n");
  EXPECT_EQ(argv.at(1), "http://host:1/api/v1/experiments?limit=1");
}

TEST_F(Dev, TrustsWhatDetTrusts) {
  variables["DET_MASTER_CERT_FILE"] = "noverify";
  det({"-m", "https://host", "dev", "curl", "/info"});
  EXPECT_THAT(argv, Contains("--insecure"));
  variables["DET_MASTER_CERT_FILE"] = folder.write("ca.pem", "PEM");
  det({"-m", "https://host", "dev", "curl", "/info"});
  EXPECT_THAT(argv, Contains("--cacert"));
  EXPECT_THAT(argv, Not(Contains("--insecure")));
}

TEST_F(Dev, AsksNoOtherHost) {
  for (const char* path : {"http://other/x", "//other/x"}) {
    const Outcome done = det({"dev", "curl", path});
    EXPECT_EQ(done.code, 1);
    EXPECT_THAT(done.err, HasSubstr("path argument does not support absolute URLs"));
  }
  EXPECT_TRUE(argv.empty());
  det({"dev", "curl", "/x?to=http://other"});
  EXPECT_FALSE(argv.empty()) << "an address in the query is no address";
}

TEST_F(Dev, NeedsCurl) {
  run_program = [](const std::vector<std::string>&) -> Result<int> { return fail(ErrorCode::kNotFound, "none"); };
  EXPECT_THAT(det({"dev", "curl", "/info"}).err, HasSubstr("curl is not installed on this machine"));
}

}  // namespace
}  // namespace det::cli
