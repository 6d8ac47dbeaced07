#include "local/agent/process.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "local/agent/container_log.h"
#include "local/agent/left_pods.h"
#include "tests/local/scratch.h"
#include "tests/support/run_task.h"

namespace det::local {
namespace {

using testing::HasSubstr;
using testing::Not;

// Real sandboxes around /bin/sh: these tests need bubblewrap and user namespaces, as the agent does.
class Sandbox : public testing::Test {
 protected:
  ShimSpec spec(const std::string& script, std::vector<VolumeMount> mounts = {},
                std::map<std::string, VolumeLocation> volumes = {}) {
    const std::string folder = attempt_;
    for (const char* name : {"tmp", "var-tmp", "home", "mnt"}) {
      std::filesystem::create_directories(folder + "/" + name);
    }
    test::write_text(folder + "/termination-log", "");
    PodView pod;
    pod.host_name = "sandboxed";
    ContainerView container;
    container.command = {"/bin/sh", "-c", script};
    container.mounts = std::move(mounts);
    const HostLayout host = read_host_layout({{scratch_.path() + "/masked", true, true}});
    auto plan = plan_sandbox({pod, container, {}, host, {}, volumes, "", folder});
    EXPECT_TRUE(plan);
    ShimSpec out;
    out.folder = folder;
    out.overlays = plan->overlays;
    out.staged = plan->staged;
    out.arguments = plan->arguments;
    out.command = plan->command;
    return out;
  }

  std::unique_ptr<ContainerProcess> start(const ShimSpec& from) {
    auto process = ContainerProcess::start(io_.get_executor(), {"/proc/self/exe", "node-agent-shim"}, from);
    EXPECT_TRUE(process) << process.error().message;
    return std::move(*process);
  }

  ContainerExit finish(ContainerProcess& process) { return det::test::run_task(io_, process.wait_exit()); }
  bool started(ContainerProcess& process) { return det::test::run_task(io_, process.wait_started()); }

  std::string output() {
    PodLogFilter filter({});
    return filter.feed(test::read_text(attempt_ + "/log"));
  }

  // A pipe below the container's /tmp that both sides meet at: opening it waits for the other.
  std::string meeting(const std::string& name) {
    const std::string path = attempt_ + "/tmp/" + name;
    ::mkfifo(path.c_str(), 0600);
    return path;
  }

  test::Scratch scratch_;
  std::string attempt_ = scratch_.path() + "/attempt";
  asio::io_context io_;
};

TEST_F(Sandbox, ReportsTheExitCodeAndTheOutput) {
  auto process = start(spec("echo out; echo err >&2; exit 17"));
  EXPECT_TRUE(started(*process));
  const ContainerExit exit = finish(*process);
  EXPECT_EQ(exit.exit_code, 17);
  EXPECT_EQ(exit.error, "");
  EXPECT_EQ(output(), "out\nerr\n");
}

TEST_F(Sandbox, TellsSignalsByExitCode) {
  auto process = start(spec("sh -c 'kill -SEGV $$$$'; exit $?"));
  EXPECT_EQ(finish(*process).exit_code, 139);
}

TEST_F(Sandbox, SaysWhatIsWrongWithACommandThatIsNotThere) {
  ShimSpec missing = spec("");
  missing.command = {"no-such-program"};
  auto process = start(missing);
  const ContainerExit exit = finish(*process);
  EXPECT_TRUE(exit.is_start_error);
  EXPECT_THAT(exit.error, HasSubstr("no-such-program: No such file or directory"));
}

TEST_F(Sandbox, RefusesWhatProgramsThatComputeDoNotAsk) {
  auto process = start(spec(R"(python3 - <<'END'
import ctypes, errno, os, threading
libc = ctypes.CDLL(None, use_errno=True)
def ask(number, *args):
    ctypes.set_errno(0)
    libc.syscall(number, *args)
    return errno.errorcode.get(ctypes.get_errno(), "0")
NEWUSER = 0x10000000
names = dict(mount=165, umount2=166, unshare=272, bpf=321, keyctl=250, userfaultfd=323, perf=298, handle=304, clone=56, clone3=435, io_uring=425)
said = {name: ask(number, NEWUSER, 0, 0, 0, 0) for name, number in names.items()}
print(sorted(set(said[n] for n in names if n not in ("clone3", "io_uring"))), said["clone3"], said["io_uring"])
done = []
threading.Thread(target=lambda: done.append(1)).start()
print(os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)[1], len(done))
END)"));
  EXPECT_EQ(finish(*process).exit_code, 0);
#if defined(__x86_64__)
  EXPECT_EQ(output(), "['EPERM'] ENOSYS ENOSYS\n0 1\n");
#endif
}

TEST_F(Sandbox, KeepsNoMoreThanTwoLogFiles) {
  ShimSpec from = spec("i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done");
  from.log_limit = 10'000;
  auto process = start(from);
  EXPECT_EQ(finish(*process).exit_code, 0);
  const auto size = [&](const char* name) { return std::filesystem::file_size(scratch_.path() + "/attempt" + name); };
  EXPECT_LE(size("/log"), 10'000U);
  EXPECT_LE(size("/log.1"), 10'000U);
  EXPECT_THAT(output(), HasSubstr("line 1999\n"));
}

TEST_F(Sandbox, DoesNotFollowASymlinkThatASubPathHasBecome) {
  const std::string volume = scratch_.path() + "/volume";
  std::filesystem::create_directories(volume + "/x");
  VolumeMount mount;
  mount.volume = "v";
  mount.mount_path = "/v";
  mount.sub_path = "x";
  const ShimSpec from = spec("ls /v", {mount}, {{"v", VolumeLocation{volume}}});
  std::filesystem::remove(volume + "/x");
  std::filesystem::create_symlink("/", volume + "/x");
  auto process = start(from);
  const ContainerExit exit = finish(*process);
  EXPECT_THAT(exit.error, HasSubstr("a symlink in it is not followed"));
  EXPECT_EQ(output(), "");
}

TEST_F(Sandbox, PassesTermToTheFirstProcess) {
  const ShimSpec from = spec("trap 'echo bye; exit 42' TERM; sleep 1234.5 & : > /tmp/ready; wait");
  const std::string ready = meeting("ready");
  auto process = start(from);
  test::read_text(ready);
  process->terminate();
  EXPECT_EQ(finish(*process).exit_code, 42);
  EXPECT_THAT(output(), HasSubstr("bye"));
}

TEST_F(Sandbox, HoldsTermBackUntilTheProgramRuns) {
  auto process = start(spec("exec sleep 1234.25"));
  process->terminate();
  EXPECT_TRUE(started(*process));
  process->kill();
  EXPECT_EQ(finish(*process).exit_code, 137);
}

// Whether a process has been sent SIGTERM and has not taken it yet.
bool has_term_waiting(int pid) {
  const std::string status = test::read_text("/proc/" + std::to_string(pid) + "/status");
  const std::string key = "ShdPnd:\t";
  return (std::stoull(status.substr(status.find(key) + key.size()), nullptr, 16) >> (SIGTERM - 1) & 1U) != 0;
}

TEST_F(Sandbox, HoldsTermBackUntilTheProgramHearsIt) {
  const ShimSpec from = spec("read line < /tmp/go; trap 'exit 42' TERM; sleep 1234.5 & wait");
  const std::string go = meeting("go");
  auto process = start(from);
  std::ofstream writer(go);  // the program is there
  const auto shim = nlohmann::json::parse(test::read_text(attempt_ + "/shim.json"));
  process->terminate();
  while (has_term_waiting(shim["pid"].get<int>())) std::this_thread::yield();
  writer << "go\n" << std::flush;
  writer.close();
  EXPECT_EQ(finish(*process).exit_code, 42);
}

// The disk may be full when it ends.
TEST_F(Sandbox, HasRoomForItsExitFromTheStart) {
  const ShimSpec from = spec("read line < /tmp/go; exit 9");
  const std::string go = meeting("go");
  auto process = start(from);
  EXPECT_TRUE(started(*process));
  struct stat before{};
  struct stat after{};
  EXPECT_EQ(::stat((attempt_ + "/exit.json.new").c_str(), &before), 0);
  std::ofstream(go) << "go\n";
  EXPECT_EQ(finish(*process).exit_code, 9);
  EXPECT_EQ(::stat((attempt_ + "/exit.json").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_size, after.st_size);
}

TEST_F(Sandbox, TellsAlsoWhatIsNotUtf8) {
  auto process = start(spec("printf 'bwrap: \\377\\n'; exit 3"));
  EXPECT_EQ(finish(*process).error, "\xEF\xBF\xBD");
}

TEST_F(Sandbox, KillsWhatIgnoresTermTogetherWithItsChildren) {
  const ShimSpec from = spec("trap '' TERM; sleep 1234.5 & : > /tmp/ready; wait");
  const std::string ready = meeting("ready");
  auto process = start(from);
  test::read_text(ready);
  process->terminate();
  process->kill();
  EXPECT_EQ(finish(*process).exit_code, 137);
  int left = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string cmdline = test::read_text(entry.path() / "cmdline");
    if (cmdline.find("1234.5") != std::string::npos) ++left;
  }
  EXPECT_EQ(left, 0);
}

TEST_F(Sandbox, HasNoCapabilityAndCannotTouchTheKernelOrTheHost) {
  test::write_text(scratch_.path() + "/masked/secret", "s");
  auto process = start(
      spec("grep CapEff /proc/self/status; cat /etc/shadow; ls -A /root /home; ls " + scratch_.path() +
           "; (: >> /proc/sys/kernel/core_pattern) && echo sysctl-writable; touch /usr/x && echo usr-writable;"
           "hostname; echo pid $$$$; touch /tmp/a /var/tmp/b /root/c /dev/shm/d /run/e && echo scratch-writable"));
  EXPECT_EQ(finish(*process).exit_code, 0);
  const std::string text = output();
  EXPECT_THAT(text, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(text, HasSubstr("/etc/shadow: No such file or directory"));
  EXPECT_THAT(text, HasSubstr("cannot access '" + scratch_.path()));
  EXPECT_THAT(text, Not(HasSubstr("sysctl-writable")));
  EXPECT_THAT(text, Not(HasSubstr("usr-writable")));
  EXPECT_THAT(text, HasSubstr("sandboxed\npid 1\nscratch-writable"));
}

TEST_F(Sandbox, MountsAVolumeWhereTheHostHasNoMountPoint) {
  test::write_text(scratch_.path() + "/volume/key", "value\n");
  VolumeMount folder;
  folder.volume = "v";
  folder.mount_path = "/etc/new/deep";
  VolumeMount file = folder;
  file.mount_path = "/usr/local/etc/one.conf";
  file.sub_path = "key";
  const VolumeLocation location{.path = scratch_.path() + "/volume", .read_only = true, .files = {"key"}};
  auto process = start(spec("cat /etc/new/deep/key /usr/local/etc/one.conf; touch /etc/new/deep/x; ls -d /etc/passwd",
                            {folder, file}, {{"v", location}}));
  finish(*process);
  EXPECT_THAT(output(), HasSubstr("value\nvalue\n"));
  EXPECT_THAT(output(), HasSubstr("Read-only file system"));
  EXPECT_THAT(output(), HasSubstr("/etc/passwd"));
  EXPECT_FALSE(std::filesystem::exists("/etc/new"));
  EXPECT_THAT(test::read_text("/proc/mounts"), Not(HasSubstr(scratch_.path())));
}

TEST_F(Sandbox, IsAdoptedWhileItRunsAndAfterItsEnd) {
  const ShimSpec from = spec("read line < /tmp/go; exit 9");
  const std::string go = meeting("go");
  auto first = start(from);
  EXPECT_TRUE(started(*first));
  auto second = ContainerProcess::adopt(io_.get_executor(), scratch_.path() + "/attempt");
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(started(*second));
  std::ofstream(go) << "go\n";
  EXPECT_EQ(finish(*second).exit_code, 9);
  EXPECT_EQ(finish(*first).exit_code, 9);
  auto late = ContainerProcess::adopt(io_.get_executor(), scratch_.path() + "/attempt");
  ASSERT_NE(late, nullptr);
  EXPECT_EQ(finish(*late).exit_code, 9);
}

TEST_F(Sandbox, IsEndedWhenNoAgentIsLeft) {
  attempt_ = scratch_.path() + "/state/pods/u/containers/c/0";
  auto process = start(spec("exec sleep 1234.75"));
  EXPECT_TRUE(started(*process));
  EXPECT_EQ(end_left_pods(scratch_.path() + "/state").found, 1);
  const ContainerExit exit = finish(*process);
  EXPECT_EQ(exit.exit_code, 137);
  EXPECT_THAT(exit.error, HasSubstr("supervised")) << "the program did not fail";
  EXPECT_EQ(end_left_pods(scratch_.path() + "/state").found, 0);
}

// The shim of a container that ended by itself may still be on its way out.
TEST_F(Sandbox, KeepsItsOwnEndWhenNoAgentIsLeft) {
  attempt_ = scratch_.path() + "/state/pods/u/containers/c/0";
  auto process = start(spec("exec sleep 1234.75"));
  EXPECT_TRUE(started(*process));
  test::write_text(attempt_ + "/exit.json", R"({"exit_code": 137})");
  EXPECT_EQ(end_left_pods(scratch_.path() + "/state").found, 1);
  EXPECT_EQ(finish(*process).error, "");
}

TEST_F(Sandbox, IsEndedWhateverOthersHaveWrittenWhereTheyMay) {
  attempt_ = scratch_.path() + "/state/pods/u/containers/c/0";
  auto process = start(spec("exec sleep 1234.75"));
  auto other = scratch_.path() + "/state/pods/u/containers/c/1";
  EXPECT_TRUE(started(*process));
  // Opening it would wait for a writer.
  EXPECT_EQ(::mkfifo((attempt_ + "/tmp/shim.json").c_str(), 0600), 0);
  std::filesystem::create_directories(other);
  EXPECT_EQ(::mkfifo((other + "/shim.json").c_str(), 0600), 0);
  EXPECT_EQ(end_left_pods(scratch_.path() + "/state").found, 1);
  EXPECT_EQ(finish(*process).exit_code, 137);
}

TEST_F(Sandbox, DiesWithItsShimAndSaysSo) {
  auto process = start(spec("sleep 1234.75"));
  EXPECT_TRUE(started(*process));
  const auto shim = nlohmann::json::parse(test::read_text(scratch_.path() + "/attempt/shim.json"));
  ::kill(shim["pid"].get<int>(), SIGKILL);
  const ContainerExit exit = finish(*process);
  EXPECT_EQ(exit.exit_code, 137);
  EXPECT_THAT(exit.error, HasSubstr("supervised"));
}

TEST(ContainerProcess, IsNotAdoptedWhereNothingWasStarted) {
  const test::Scratch scratch;
  asio::io_context io;
  EXPECT_EQ(ContainerProcess::adopt(io.get_executor(), scratch.path()), nullptr);
}

TEST(ContainerProcess, OfAnEarlierBootIsGone) {
  const test::Scratch scratch;
  test::write_text(scratch.path() + "/shim.json", R"({"pid":1,"start_time":0,"boot_id":"another"})");
  asio::io_context io;
  auto process = ContainerProcess::adopt(io.get_executor(), scratch.path());
  ASSERT_NE(process, nullptr);
  EXPECT_EQ(det::test::run_task(io, process->wait_exit()).exit_code, 137);
}

}  // namespace
}  // namespace det::local
