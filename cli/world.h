#pragma once

// What a command sees of the world outside: network, time, terminal, environment. main/det makes the real one, tests
// make one of fakes. Belongs to the io thread.

#include <filesystem>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/http_client.h"
#include "base/result.h"
#include "base/task.h"

namespace det::cli {

struct World {
  HttpTransport& http;
  Clock& clock;
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool in_is_terminal = false;                                                  // somebody is there to be asked
  std::function<std::optional<std::string>(const std::string& name)> variable;  // of the environment
  // Asks the person for a line; nothing at the end of input or on Ctrl-C. `secret` is not shown while it is typed.
  std::function<std::optional<std::string>(const std::string& prompt, bool secret)> ask;
  // Runs a program in the foreground, with this terminal, until it ends: its exit code, 128 and the signal when one
  // ended it. kNotFound when there is no such program.
  std::function<Task<Result<int>>(std::vector<std::string> argv)> run_program = {};
  // Starts a program that may outlive the command, without a terminal. kNotFound when there is none of this name.
  std::function<Status(const std::vector<std::string>& argv)> start_program = {};
  // The certificates that a master sends, unverified (cli/peer_certificate.h). Nobody is asked whom to trust without
  // it.
  std::function<Task<Result<std::string>>(std::string url)> fetch_certificates = {};
  int input = 0;  // descriptors of what `det tunnel` carries
  int output = 1;
  std::filesystem::path home;
  std::filesystem::path program;  // this program's own file: det-operator is looked for beside it
  bool is_root = false;
  std::string on_interrupt;  // what Ctrl-C leaves behind, in the words of the running command
  std::string doing;         // completes "Failed to ..." where the command has done what it is named for

  [[nodiscard]] std::string variable_or(const std::string& name, std::string fallback) const {
    return variable(name).value_or(std::move(fallback));
  }
};

// The options that stand before every command.
struct Globals {
  std::string master;  // empty: not given
  std::string user;
};

struct Invocation {
  World& world;
  Globals globals;
};

// Exit codes: those of the Python command line.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kInterrupted = 3;

}  // namespace det::cli
