#include "base/uuid.h"

#include <gtest/gtest.h>

#include "base/encoding.h"

namespace det {
namespace {

TEST(Uuid, IsThirtyTwoDigitsInFiveParts) {
  EXPECT_TRUE(is_uuid("0f9a41e2-1d2c-4b3a-9f00-AbCdEf012345"));
  EXPECT_TRUE(is_uuid(uuid_v4()));
  for (const char* text : {"", "7", "0f9a41e2-1d2c-4b3a-9f00-abcdef01234", "0f9a41e2-1d2c-4b3a-9f00-abcdef0123456",
                           "0f9a41e201d2c-4b3a-9f00-abcdef012345", "0f9a41e2-1d2c-4b3a-9f00-abcdef01234g"}) {
    EXPECT_FALSE(is_uuid(text)) << text;
  }
}

TEST(Uuid, HasOneFormInLowerCase) {
  EXPECT_EQ(canonical_uuid("0F9A41E2-1D2C-4B3A-9F00-ABCDEF012345"), "0f9a41e2-1d2c-4b3a-9f00-abcdef012345");
}

}  // namespace
}  // namespace det
