#include "cli/terminal_guard.h"

#include <ostream>
#include <sstream>

#include <gtest/gtest.h>

namespace det::cli {
namespace {

std::string shown(const std::string& text) {
  std::stringbuf terminal;
  TerminalGuard guard(terminal);
  std::ostream out(&guard);
  for (const char c : text) out << c;  // in the smallest pieces there are
  out << std::flush;
  return terminal.str();
}

TEST(TerminalGuard, LetsTextAndColoursPass) {
  for (const char* text : {"loss=0.5\tepoch 1\r\n", "\x1b[31mred\x1b[0m", "\x1b[1;38;5;9mx\x1b[K",
                           "d\xc3\xa9j\xc3\xa0 \xc2\xb5s \xe2\x9c\x93"}) {
    EXPECT_EQ(shown(text), text);
  }
}

TEST(TerminalGuard, ShowsWhatWouldSteerTheTerminal) {
  EXPECT_EQ(shown("\x1b]0;title\x07"), "\xe2\x90\x9b]0;title\xe2\x90\x87");
  EXPECT_EQ(shown("\x1b[2J\x1b[1;1H"), "\xe2\x90\x9b[2J\xe2\x90\x9b[1;1H");
  EXPECT_EQ(shown("\x1bP$q\x1b\\"), "\xe2\x90\x9bP$q\xe2\x90\x9b\\");
  EXPECT_EQ(shown("\x1b\x1b[6n"), "\xe2\x90\x9b\xe2\x90\x9b[6n");
  EXPECT_EQ(shown("a\bb\x7f"),
            "a\xe2\x90\x88"
            "b\xe2\x90\xa1");
  EXPECT_EQ(shown("\xc2\x9b"
                  "2J"),
            "\xef\xbf\xbd"
            "2J");  // CSI in one character
  EXPECT_EQ(shown("\xc2\xc2\x9b"), "\xc2\xef\xbf\xbd");
}

TEST(TerminalGuard, GivesUpOnSequencesThatDoNotEnd) {
  const std::string digits(100, '1');
  EXPECT_EQ(shown("\x1b[" + digits + "m"), "\xe2\x90\x9b[" + digits + "m");
}

}  // namespace
}  // namespace det::cli
