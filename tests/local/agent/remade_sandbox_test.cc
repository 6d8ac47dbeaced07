// Sandboxes that cannot be made as planned, because the machine changed meanwhile.

#include <filesystem>
#include <fstream>

#include "tests/local/agent/pods.h"

namespace det::local {
namespace {

struct RemadeSandbox : Pods {
  // A folder of the machine with a file that is hidden from pods. `before` is what a shell does just before each
  // sandbox is made.
  RemadeSandbox() {
    std::filesystem::create_directories(shown);
    std::ofstream(secret) << "secret";
    masks_.push_back({secret, false, false});
  }
  json finish_with(const std::string& before) {
    const std::string script = scratch_.path() + "/bwrap.sh";
    std::ofstream(script) << "#!/bin/sh\n" + before + "\nexec bwrap \"$@\"\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    services_.bwrap = script;
    json object = pod("Never", json::array({container("a", "ls /shown; exit 3")}));
    object["spec"]["volumes"] = {{{"name", "v"}, {"hostPath", {{"path", shown}}}}};
    object["spec"]["containers"][0]["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/shown"}, {"readOnly", true}}};
    auto one = runner(object);
    return finish(*one)["containerStatuses"][0];
  }

  std::string shown = scratch_.path() + "/shown";
  std::string secret = shown + "/secret";
};

TEST_F(RemadeSandbox, RunsTheProgramWhereAHiddenFileHasGone) {
  const json status = finish_with("echo >> " + scratch_.path() + "/tries; rm -f " + secret);
  EXPECT_EQ(status["state"]["terminated"]["reason"], "Error") << status;
  EXPECT_EQ(status["state"]["terminated"]["exitCode"], 3);
  EXPECT_EQ(status["restartCount"], 0);
  EXPECT_EQ(std::filesystem::file_size(scratch_.path() + "/tries"), 2U) << "the first sandbox was not made";
}

TEST_F(RemadeSandbox, IsAnErrorWhereNothingChanged) {
  const json status = finish_with("echo >> " + scratch_.path() + "/tries; echo 'bwrap: Out of luck' >&2; exit 1");
  EXPECT_EQ(status["state"]["terminated"]["reason"], "StartError") << status;
  EXPECT_EQ(status["state"]["terminated"]["message"], "Out of luck");
  EXPECT_EQ(std::filesystem::file_size(scratch_.path() + "/tries"), 1U);
}

}  // namespace
}  // namespace det::local
