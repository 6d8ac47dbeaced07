#include "local/agent/shim_limits.h"

#include <cstdio>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace det::local {
namespace {

void set_limit(decltype(RLIMIT_DATA) what, std::int64_t most) {
  rlimit limit{};
  if (::getrlimit(what, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(most));
  ::setrlimit(what, &limit);
}

// All threads of the machine: this user's own are not more.
std::int64_t running_threads() {
  std::ifstream file("/proc/loadavg");
  std::string word;
  for (int i = 0; i < 4; ++i) file >> word;  // the fourth is "2/731"
  const auto slash = word.find('/');
  return slash == std::string::npos ? 0 : std::atoll(word.c_str() + slash + 1);
}

bool counts_per_space() {
  utsname name{};
  int major = 0;
  int minor = 0;
  // On an older kernel the file would be the whole machine's.
  return ::uname(&name) == 0 && std::sscanf(name.release, "%d.%d", &major, &minor) == 2 &&
         (major > 6 || (major == 6 && minor >= 14));
}

[[noreturn]] void write_from_inside(int space, const std::string& text) {
  if (::setns(space, CLONE_NEWPID) != 0) ::_exit(1);
  const pid_t inside = ::fork();  // only children are in the space
  if (inside == 0) {
    const int file = ::open("/proc/sys/kernel/pid_max", O_WRONLY | O_CLOEXEC);
    ::_exit(file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  int status = 1;
  if (inside > 0) ::waitpid(inside, &status, 0);
  ::_exit(status == 0 ? 0 : 1);
}

}  // namespace

void limit_self(const ShimSpec& spec) {
  if (spec.data_limit) set_limit(RLIMIT_DATA, *spec.data_limit);
  if (spec.process_limit) set_limit(RLIMIT_NPROC, *spec.process_limit + running_threads());
  // 1, not 0: only this keeps the kernel from starting the host's crash handler with what a pod left it.
  set_limit(RLIMIT_CORE, 1);
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

void limit_process_space(int pid, std::int64_t limit) {
  if (::geteuid() != 0 || !counts_per_space()) return;
  const int space = ::open(("/proc/" + std::to_string(pid) + "/ns/pid").c_str(), O_RDONLY | O_CLOEXEC);
  if (space < 0) return;
  const std::string text = std::to_string(limit);
  const pid_t helper = ::fork();
  if (helper == 0) write_from_inside(space, text);
  ::close(space);
  if (helper > 0) ::waitpid(helper, nullptr, 0);
}

}  // namespace det::local
