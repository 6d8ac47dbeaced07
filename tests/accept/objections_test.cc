#include "accept/objections.h"

#include <cctype>
#include <set>

#include <gtest/gtest.h>

namespace det::accept {
namespace {

// Kubernetes takes a condition's reason only in this form, and people filter events by it.
TEST(RefusalReason, EachHasAWordOfItsOwnThatConditionsTake) {
  std::set<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(RefusalReason::kPodRejected); ++i) {
    const std::string_view word = to_string(static_cast<RefusalReason>(i));
    ASSERT_FALSE(word.empty()) << i;
    EXPECT_TRUE(std::isupper(word.front())) << word;
    for (const char c : word) EXPECT_TRUE(std::isalpha(c)) << word;
    EXPECT_TRUE(words.insert(word).second) << word;
  }
}

TEST(WrongConfig, MayPassOnlyWhereThePoolAloneIsMissing) {
  const Error pool{.message = "there is no pool 'a100'", .field = std::string(model::kPoolField)};
  const Error slots{.message = "must be a number", .field = "resources.slots_per_trial"};
  EXPECT_TRUE(wrong_config({pool}).may_pass);
  EXPECT_EQ(wrong_config({pool}).reason, RefusalReason::kResourcePoolNotFound);
  EXPECT_FALSE(wrong_config({pool, slots}).may_pass);
  EXPECT_EQ(wrong_config({pool, slots}).reason, RefusalReason::kInvalidConfig);
}

}  // namespace
}  // namespace det::accept
