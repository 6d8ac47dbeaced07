#pragma once

// Between a command's output and a terminal. Logs and names are written by strangers; sequences in them could move the
// cursor, change the title, or make some terminals type. Colours and the end of a line being erased pass, other control
// characters are shown. Any one thread.

#include <cstdint>
#include <streambuf>
#include <string>

namespace det::cli {

class TerminalGuard final : public std::streambuf {
 public:
  // `terminal` outlives the guard.
  explicit TerminalGuard(std::streambuf& terminal) : terminal_(terminal) {}

 protected:
  int_type overflow(int_type byte) override;
  std::streamsize xsputn(const char* bytes, std::streamsize count) override;
  int sync() override;

 private:
  enum class State : std::uint8_t { kText, kEscape, kSequence, kLatin };
  bool take(unsigned char byte);
  bool put(const std::string& text);
  bool show_pending();

  std::streambuf& terminal_;
  State state_ = State::kText;
  std::string pending_;  // what may become a sequence
};

}  // namespace det::cli
