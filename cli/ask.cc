#include "cli/ask.h"

#include <iostream>

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace det::cli {
namespace {

// Where a secret is asked for.
class Terminal {
 public:
  Terminal() : fd_(::isatty(STDIN_FILENO) == 1 ? ::open("/dev/tty", O_WRONLY | O_CLOEXEC) : -1) {}
  ~Terminal() {
    if (fd_ >= 0) ::close(fd_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  void say(const std::string& text) const { (void)!::write(fd_ >= 0 ? fd_ : STDERR_FILENO, text.data(), text.size()); }

 private:
  int fd_;
};

std::optional<std::string> read_line() {
  std::string line;
  ssize_t got = 0;
  for (char c = 0; (got = ::read(STDIN_FILENO, &c, 1)) == 1 && c != '\n';) line += c;
  if (got < 0 || (got == 0 && line.empty())) return std::nullopt;
  if (line.ends_with('\r')) line.pop_back();  // of a file or a pipe from Windows
  return line;
}

std::optional<std::string> ask_secretly(const std::string& prompt) {
  const Terminal terminal;
  terminal.say(prompt);
  termios before{};
  const bool is_terminal = ::tcgetattr(STDIN_FILENO, &before) == 0;
  if (!is_terminal) return read_line();
  termios silent = before;
  silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &silent);
  auto line = read_line();
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before);
  terminal.say("\n");
  return line;
}

}  // namespace

std::optional<std::string> ask(const std::string& prompt, bool secret) {
  std::cout << std::flush;
  if (secret) return ask_secretly(prompt);
  std::cout << prompt << std::flush;
  return read_line();
}

}  // namespace det::cli
