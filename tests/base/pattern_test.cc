#include "base/pattern.h"

#include <gtest/gtest.h>

namespace det {
namespace {

bool finds(const char* pattern, std::string_view text) {
  const auto compiled = Pattern::compile(pattern);
  EXPECT_TRUE(compiled) << pattern;
  return compiled && (*compiled)->found_in(text);
}

TEST(Pattern, IsFoundAnywhereInTheText) {
  EXPECT_TRUE(finds("line [45]", "this is line 4 of 5"));
  EXPECT_FALSE(finds("^line", "this is line 4"));
  EXPECT_TRUE(finds("(?i)cuda OUT", "CUDA out of memory"));
}

// An engine that goes back takes 2^40 steps for each of these.
TEST(Pattern, TakesTimeLinearInTheTextWhateverItSays) {
  const std::string text(100'000, 'a');
  EXPECT_FALSE(finds("(a+)+$b", text));
  EXPECT_FALSE(finds("(a|a)*b", text));
  EXPECT_FALSE(finds("(.*)(.*)(.*)(.*)(.*)[^a]c", text));
}

TEST(Pattern, RefusesWhatIsNoneOrNeedsMemoryWithoutBound) {
  for (const char* text : {"a(", "[z-a]", "(?=ahead)", "\\1", "((a{1000}){1000}){1000}"}) {
    const auto refused = Pattern::compile(text);
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(refused.error().message.empty());
  }
  EXPECT_FALSE(Pattern::compile(std::string(Pattern::kLongest + 1, 'a')));
}

TEST(Pattern, AffordsLongTextsUnlessItIsVeryLarge) {
  const std::string text(64 << 10, 'a');
  for (const char* ordinary : {"x", "(?i)nccl.*timeout", "error.{0,200}code [0-9]{3}", "[ab]*a[ab]{400}x"}) {
    EXPECT_EQ((*Pattern::compile(ordinary))->affordable(text).size(), text.size()) << ordinary;
  }
  std::string many = "(x";
  for (int i = 0; i < 40; ++i) many += "|[ab]*";
  const std::size_t part = (*Pattern::compile(many + "){1000}y"))->affordable(text).size();
  EXPECT_LT(part, text.size() / 8) << "a millisecond a byte";
  EXPECT_GT(part, 500U);
}

TEST(Pattern, TakesBytesThatAreNoText) {
  EXPECT_TRUE(finds("b", std::string_view("\xff\xfe\0b", 4)));
}

}  // namespace
}  // namespace det
