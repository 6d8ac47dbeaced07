#include "tests/support/postgres.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "pg/raw_connection.h"

// libpqxx 6.4 forgets the PGresult (2 KB) of a statement during which the connection was lost: connection_base::exec
// throws before anyone owns it. What our code leaks has our frames at the allocation and is still reported.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libpqxx-6.4";
}

namespace det::test {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);
constexpr int kPauses = 1500;  // 30 s at the most

std::string binary(const std::string& name) {
  for (const char* folder : {"/usr/lib/postgresql/15/bin/", "/usr/local/bin/", "/usr/bin/"}) {
    if (std::filesystem::exists(folder + name)) return folder + name;
  }
  DET_CHECK(false, "PostgreSQL 15 is not installed");
  return {};
}

const passwd* unprivileged() {
  const passwd* user = getpwnam("postgres");
  if (user == nullptr) user = getpwnam("nobody");
  DET_CHECK(user != nullptr, "no unprivileged user to run PostgreSQL as");
  return user;
}

// Child side of fork: only calls that are safe there.
[[noreturn]] void become(const std::vector<char*>& argv, const passwd* user, int log) {
  dup2(log, 1);
  dup2(log, 2);
  if (user != nullptr && (setgroups(0, nullptr) != 0 || setgid(user->pw_gid) != 0 || setuid(user->pw_uid) != 0))
    _exit(126);
  prctl(PR_SET_PDEATHSIG, SIGQUIT);
  execv(argv[0], argv.data());
  _exit(127);
}

pid_t spawn(std::vector<std::string> command, const std::string& folder) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const passwd* user = geteuid() == 0 ? unprivileged() : nullptr;
  const int log = open((folder + "/log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const pid_t child = fork();
  DET_CHECK(child >= 0, "fork");
  if (child == 0) become(argv, user, log);
  close(log);
  return child;
}

bool answers(const std::string& url) {
  return pg::RawConnection::open(url, "test").has_value();
}

}  // namespace

PostgresServer::PostgresServer() {
  std::string path = (std::filesystem::temp_directory_path() / "det-pg-XXXXXX").string();
  DET_CHECK(mkdtemp(path.data()) != nullptr, "a folder for PostgreSQL");
  folder_ = path;
  if (geteuid() == 0) {
    const passwd* user = unprivileged();
    DET_CHECK(chown(folder_.c_str(), user->pw_uid, user->pw_gid) == 0, "the folder's owner");
  }
  const pid_t initdb = spawn({binary("initdb"), "-D", folder_ + "/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
                              "--locale=C.UTF-8", "-N"},
                             folder_);
  int status = 0;
  waitpid(initdb, &status, 0);
  DET_CHECK(status == 0, "initdb");
  start();
}

PostgresServer::~PostgresServer() {
  if (pid_ != 0) end_with(SIGQUIT);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void PostgresServer::start() {
  // After a crash the old backends may still hold the shared memory: the new postmaster then gives up and is tried
  // again.
  for (int i = 0; i < kPauses; ++i) {
    if (pid_ == 0) {
      pid_ = spawn({binary("postgres"), "-D", folder_ + "/data", "-k", folder_, "-c", "listen_addresses=", "-c",
                    "fsync=off", "-c", "shared_buffers=32MB"},
                   folder_);
    }
    if (answers(url("postgres") + "&target_session_attrs=any")) return;
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) pid_ = 0;
    std::this_thread::sleep_for(kPause);
  }
  DET_CHECK(false, "PostgreSQL did not start");
}

void PostgresServer::stop() {
  end_with(SIGINT);
}

void PostgresServer::demote() {
  stop();
  std::ofstream(folder_ + "/data/standby.signal").flush();
  start();
}

void PostgresServer::crash() {
  end_with(SIGKILL);
}

void PostgresServer::end_with(int signal) {
  DET_CHECK(pid_ != 0, "PostgreSQL runs");
  kill(pid_, signal);
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = 0;
}

std::string PostgresServer::create_database(const std::string& like) {
  const std::string name = "test_" + std::to_string(++databases_);
  auto connection = pg::RawConnection::open(url("postgres"), "test");
  DET_CHECK(connection.has_value(), "PostgreSQL answers");
  const std::string copy = like.empty() ? "" : " TEMPLATE " + like + " STRATEGY file_copy";
  DET_CHECK(connection->execute("CREATE DATABASE " + name + copy).has_value(), "a database of its own");
  return url(name);
}

std::string PostgresServer::url(const std::string& database) const {
  return "postgresql:///" + database + "?user=postgres&host=" + folder_;
}

PostgresServer& shared_postgres() {
  static PostgresServer server;
  return server;
}

}  // namespace det::test
