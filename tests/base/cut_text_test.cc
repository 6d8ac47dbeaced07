#include "base/cut_text.h"

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(CutText, KeepsWhatFits) {
  EXPECT_EQ(cut_text("", 0), "");
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("abcd", 3), "abc");
}

TEST(CutText, CutsBetweenCharacters) {
  const std::string word = "a\xC3\xA9\xE2\x82\xAC";  // one, two and three bytes
  EXPECT_EQ(cut_text(word, 1), "a");
  EXPECT_EQ(cut_text(word, 2), "a");
  EXPECT_EQ(cut_text(word, 3), "a\xC3\xA9");
  EXPECT_EQ(cut_text(word, 5), "a\xC3\xA9");
  EXPECT_EQ(cut_text(word, 6), word);
  EXPECT_EQ(cut_text("\x80\x80\x80", 2), "");
}

}  // namespace
}  // namespace det
