#include "cli/listing_hint.h"

#include <gtest/gtest.h>

namespace det::cli {
namespace {

TEST(ListingHint, NamesTheListOfWhatWasNotFound) {
  EXPECT_EQ(listing_hint("experiment '999' not found"), "; 'det experiment list' shows those that there are");
  EXPECT_EQ(listing_hint("model \"nope\" not found"), "; 'det model list' shows those that there are");
  EXPECT_EQ(listing_hint("workspace 'a b' not found"), "; 'det workspace list' shows those that there are");
  EXPECT_EQ(listing_hint("Token not found"), "; 'det token list' shows those that there are");
}

TEST(ListingHint, SaysNothingOfOtherTexts) {
  for (const char* text :
       {"", "not found", " not found", "experiment not found", "experiment ' not found",
        "experiment '' and 'b' not found", "planet 'x' not found", "experiment '1' is not found here",
        "experiment 999 not found", "the experiment '1' not found"}) {
    EXPECT_EQ(listing_hint(text), "") << text;
  }
}

}  // namespace
}  // namespace det::cli
