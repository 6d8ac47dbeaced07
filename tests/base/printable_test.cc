#include "base/printable.h"

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  for (const char* text : {"", "plain", "two\nlines\tand a tab", "Grüße, 你好, 🙂", "\\u001b"}) {
    EXPECT_EQ(printable(text), text);
  }
  EXPECT_EQ(printable("broken \xC3"), "broken \xC3");  // whether it is UTF-8 is another's question
}

TEST(Printable, WritesWhatMovesACursorAsAnEscape) {
  EXPECT_EQ(printable("a\x1b]0;x\x07z"), "a\\u001b]0;x\\u0007z");
  EXPECT_EQ(printable(std::string_view("\r\0\x7f", 3)), "\\u000d\\u0000\\u007f");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m");
  EXPECT_EQ(printable("exe\u202egnp.\u2066\u200f"), "exe\\u202egnp.\\u2066\\u200f");
}

}  // namespace
}  // namespace det
