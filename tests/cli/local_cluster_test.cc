// The daemon is a shell script in place of det-operator; what it would answer is scripted.

#include "cli/local_cluster.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/set_aside.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kObedient = "#!/bin/sh\necho \"$@\"\ntrap 'exit 0' TERM\nwhile :; do sleep 0.05; done\n";

struct LocalCluster : CliTest {
  LocalCluster() { clock = &system; }
  ~LocalCluster() override {
    const auto process = daemon();
    if (process) send_signal(*process, SIGKILL, true);
  }
  void program(const std::string& script) {
    const std::string file = folder.write("det-operator", script);
    ::chmod(file.c_str(), 0755);
  }
  void nobody_listens() { http.fail_with(ErrorCode::kUnavailable, "refused"); }
  void it_answers() { http.answer(200, {{"version", "0.38.1"}}); }
  [[nodiscard]] std::string data() const { return (folder.path() / "data").string(); }
  [[nodiscard]] std::optional<ProcessIdentity> daemon() const {
    return identity_from_json(Json::parse(folder.read("data/det-operator.pid"), nullptr, false));
  }
  Outcome up(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"deploy", "local", "cluster-up", "--data-dir", data()});
    return det(more);
  }
  Outcome down(std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"deploy", "local", "cluster-down", "--data-dir", data()});
    return det(more);
  }
  // The program is answered for by script, and may not have said a word when `up` ends.
  void wait_for_log(const std::string& text) {
    test::run_until(io, [&] { return folder.read("data/det-operator.log").contains(text); });
  }
  SystemClock system;
};

TEST_F(LocalCluster, StartsAnswersAndStops) {
  program(kObedient);
  nobody_listens();  // the port is free
  nobody_listens();  // it is not ready yet
  it_answers();
  const Outcome started = up({"--slots", "2", "--no-gpu", "--port", "9999"});
  ASSERT_EQ(started.code, 0) << started.err;
  EXPECT_THAT(started.out, HasSubstr("URL:        http://localhost:9999/\n"));
  EXPECT_THAT(started.out, HasSubstr("kubeconfig: " + data() + "/kubeconfig\n"));
  EXPECT_THAT(started.out, HasSubstr("cluster-down --data-dir " + data()));
  ASSERT_TRUE(daemon());
  EXPECT_TRUE(is_running(*daemon()));
  const auto process = *daemon();
  wait_for_log("--no-gpu\n");

  it_answers();
  const Outcome again = up();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("already runs"));
  EXPECT_EQ(*daemon(), process);
  EXPECT_EQ(again.err, "") << "what nobody asks for does not differ";
  it_answers();
  EXPECT_EQ(up({"--slots", "2", "--no-gpu", "--port", "9999"}).err, "");
  it_answers();
  const Outcome other =
      up({"--slots", "3", "--gpu", "--blank-passwords", "--master-port", "8080", "--allowed-host", "gpu.lab"});
  EXPECT_EQ(other.code, 0);
  EXPECT_THAT(other.err, HasSubstr("started without --port 8080, --slots 3, --gpu, --blank-passwords, --allowed-host "
                                   "gpu.lab, which is not applied: 'det deploy local cluster-down' first"));

  reader_has_left = true;  // as that of `det deploy local logs | head`
  EXPECT_EQ(det({"deploy", "local", "logs", "--data-dir", data()}).code, kFailed);
  reader_has_left = false;

  EXPECT_THAT(down().out, HasSubstr("det-operator has stopped"));
  EXPECT_FALSE(is_running(process));
  const Outcome repeated = down();
  EXPECT_EQ(repeated.code, 0);
  EXPECT_EQ(repeated.out, "det-operator does not run.\n");
  const Outcome logs = det({"deploy", "local", "logs", "--data-dir", data()});
  EXPECT_EQ(logs.out, "local --data-dir " + data() + " --listen 127.0.0.1:9999 --slots 2 --no-gpu\n");
}

TEST_F(LocalCluster, SaysWhoGetsIn) {
  program("#!/bin/sh\necho \"$@\"\n: > \"$3/passwords\"\ntrap 'exit 0' TERM\nwhile :; do sleep 0.05; done\n");
  nobody_listens();
  for (int i = 0; i < 20; ++i) nobody_listens();
  it_answers();
  const Outcome first = up();
  EXPECT_THAT(first.out, HasSubstr("You are logged in as 'determined' (and 'admin': det -u admin ...)."));
  EXPECT_THAT(first.out, HasSubstr("need it: cat " + data() + "/passwords\n"));
  EXPECT_EQ(down().code, 0);
  nobody_listens();
  it_answers();
  EXPECT_THAT(up().out, testing::Not(HasSubstr("cat ")));
  EXPECT_EQ(down().code, 0);
  nobody_listens();
  it_answers();
  const Outcome blank = up({"--blank-passwords", "--allowed-host", "a.lab", "--allowed-host", "b.lab"});
  EXPECT_THAT(blank.out,
              HasSubstr("with a blank password.\nBlank passwords: everybody on this machine, and every task"));
  wait_for_log(" --blank-passwords --allowed-host a.lab --allowed-host b.lab\n");
}

TEST_F(LocalCluster, ShowsTheEndOfTheLogOfAProgramThatDies) {
  program("#!/bin/sh\necho 'no PostgreSQL found' >&2\nexit 3\n");
  for (int i = 0; i < 100; ++i) nobody_listens();
  const Outcome started = up();
  EXPECT_EQ(started.code, 1);
  EXPECT_THAT(started.err, HasSubstr("ended before it was ready"));
  EXPECT_THAT(started.err, HasSubstr("  no PostgreSQL found\n"));
  EXPECT_THAT(down().out, HasSubstr("does not run"));
}

TEST_F(LocalCluster, SetsALongLogAsideWhenItStarts) {
  program(kObedient);
  folder.write("data/kubeconfig", "");
  folder.write("data/postgres/PG_VERSION", "15");
  folder.write("data/det-operator.log", "old\n");
  std::filesystem::resize_file(folder.path() / "data/det-operator.log", kLongLog + 1);
  nobody_listens();
  it_answers();
  EXPECT_EQ(up().code, 0);
  wait_for_log("local --data-dir");
  EXPECT_LT(folder.read("data/det-operator.log").size(), 1'000U);
  EXPECT_EQ(folder.read("data/det-operator.log.1").size(), kLongLog + 1);
}

TEST_F(LocalCluster, RefusesAPortThatIsTaken) {
  program(kObedient);
  http.answer(404, Json::object());
  const Outcome started = up();
  EXPECT_EQ(started.code, 1);
  EXPECT_THAT(started.err, HasSubstr("port 8080 is in use by another program; choose one with --port"));
  EXPECT_FALSE(daemon());
}

TEST_F(LocalCluster, EndsThePodsOfAProgramThatDidNotEndThem) {
  program("#!/bin/sh\necho \"$@\"\n");
  folder.write("data/det-operator.pid", to_json(ProcessIdentity{.pid = 1, .start_ticks = 1, .boot_id = "x"}).dump());
  folder.write("data/agent/pods/uid/containers/c/0/shim.json", "{}");
  const std::string ends_pods = "local --data-dir " + data() + " --end-pods\n";
  EXPECT_THAT(down().out, HasSubstr("it ended by itself"));
  EXPECT_EQ(folder.read("data/det-operator.log"), ends_pods);
  // One that left no pid file, neither.
  EXPECT_EQ(down().out, "det-operator does not run.\n");
  EXPECT_EQ(folder.read("data/det-operator.log"), ends_pods + ends_pods);
}

// The server says how long they may take; without that the one of this test would be killed after a minute.
TEST_F(LocalCluster, WaitsForTasksAsLongAsTheirGracePeriod) {
  program(
      "#!/bin/sh\nmkdir -p \"$3/agent\"\ntrap 'echo $(($(date +%s) + 200)) > \"$3/agent/stops-by\"; sleep 0.5; "
      "exit 0' TERM\nwhile :; do sleep 0.05; done\n");
  nobody_listens();
  it_answers();
  ASSERT_EQ(up().code, 0);
  const Outcome stopped = down();
  EXPECT_THAT(stopped.out, HasSubstr(" s to end: their grace period.\n"));
  EXPECT_THAT(stopped.out, HasSubstr("det-operator has stopped"));
}

TEST_F(LocalCluster, LeavesTheNoteOfAStopThatIsUnderWay) {
  program("#!/bin/sh\nmkdir -p \"$3/agent\"\ntrap 'sleep 0.5; exit 0' TERM\nwhile :; do sleep 0.05; done\n");
  nobody_listens();
  it_answers();
  ASSERT_EQ(up().code, 0);
  folder.write("data/agent/stops-by", "99999999999");  // the server wrote it when it was told the first time
  EXPECT_THAT(down().out, AllOf(HasSubstr(" s to end: their grace period.\n"), HasSubstr("det-operator has stopped")));
  EXPECT_EQ(folder.read("data/agent/stops-by"), "99999999999");
}

TEST_F(LocalCluster, LeavesAServerAloneThatItDidNotStart) {
  program("#!/bin/sh\nexit 1\n");
  folder.write("data/kubeconfig", "");
  folder.write("data/postgres/base/1", "x");
  folder.write("data/lock", "4711");
  const int lock = ::open((data() + "/lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX | LOCK_NB), 0);
  const Outcome refused = down({"--delete-db"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("det-operator (pid 4711) uses " + data() + ", and cluster-up did not start it"));
  EXPECT_EQ(folder.read("data/postgres/base/1"), "x");
  ::close(lock);
  EXPECT_EQ(down({"--delete-db"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "data" / "postgres"));
}

TEST_F(LocalCluster, EndsPodsBeforeItDeletesWhatTellsOfThem) {
  program("#!/bin/sh\n[ -e \"$3/agent/pods/uid\" ] && : > \"$3/checkpoints/seen\"\n");
  folder.write("data/det-local.lock", "");
  folder.write("data/agent/pods/uid/containers/c/0/shim.json", "{}");
  folder.write("data/checkpoints/uuid/model.pt", "weights");
  EXPECT_EQ(down({"--delete-db"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "data" / "agent"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "data" / "checkpoints" / "seen"));
}

TEST_F(LocalCluster, DeletesNothingWhilePodsMayRun) {
  program("#!/bin/sh\necho 2 containers run on\nexit 1\n");
  folder.write("data/det-local.lock", "");
  folder.write("data/agent/pods/uid/containers/c/0/shim.json", "{}");
  const Outcome stuck = down({"--delete-db"});
  EXPECT_EQ(stuck.code, 1);
  EXPECT_THAT(stuck.err, HasSubstr("programs of tasks may still run: " + data() + "/det-operator.log says which"));
  std::filesystem::remove(folder.path() / "det-operator");
  variables["PATH"] = "";
  EXPECT_THAT(down({"--delete-db"}).err, HasSubstr("nor on PATH; nothing was deleted"));
  EXPECT_EQ(folder.read("data/agent/pods/uid/containers/c/0/shim.json"), "{}");
  const Outcome stopped = down();
  EXPECT_EQ(stopped.code, 0);
  EXPECT_THAT(stopped.err, HasSubstr("Warning: programs of tasks may still run"));
}

TEST_F(LocalCluster, NeverTouchesAProcessThatOnlyHasThePid) {
  folder.write("data/det-operator.pid",
               to_json(ProcessIdentity{.pid = ::getpid(), .start_ticks = 1, .boot_id = "x"}).dump());
  const Outcome stopped = down();
  EXPECT_EQ(stopped.code, 0);
  EXPECT_THAT(stopped.out, HasSubstr("does not run"));
}

TEST_F(LocalCluster, KeepsOutOfFoldersThatHoldOtherThings) {
  program(kObedient);
  folder.write("data/thesis.tex", "precious");
  EXPECT_THAT(up().err, HasSubstr("holds other things"));
  EXPECT_THAT(down({"--delete-db"}).err, HasSubstr("is no data folder of det; nothing was deleted"));
  EXPECT_EQ(folder.read("data/thesis.tex"), "precious");
}

TEST_F(LocalCluster, TakesNoFolderForItsOwnBecauseOfAKubeconfig) {
  folder.write("data/kubeconfig", "of the cluster at work");
  folder.write("data/thesis.tex", "precious");
  EXPECT_THAT(up().err, HasSubstr("holds other things"));
  EXPECT_THAT(down({"--delete-db"}).err, HasSubstr("is no data folder of det; nothing was deleted"));
  EXPECT_EQ(folder.read("data/thesis.tex"), "precious");
  EXPECT_EQ(folder.read("data/kubeconfig"), "of the cluster at work");
}

TEST_F(LocalCluster, DeletesAllButTrainedModels) {
  folder.write("data/det-local.lock", "");
  folder.write("data/postgres/base/1", "x");
  folder.write("data/checkpoints/uuid/model.pt", "weights");
  EXPECT_EQ(down({"--delete-db"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "data" / "postgres"));
  EXPECT_EQ(folder.read("data/checkpoints/uuid/model.pt"), "weights");
}

TEST_F(LocalCluster, SaysWhereItLookedForTheProgram) {
  variables["PATH"] = "";
  EXPECT_THAT(up().err, HasSubstr("det-operator is neither in " + folder.path().string() + " nor on PATH"));
  EXPECT_THAT(det({"deploy", "local", "logs", "--data-dir", data()}).err, HasSubstr("there is no log"));
}

}  // namespace
}  // namespace det::cli
