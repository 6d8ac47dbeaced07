#include "local/self_signed_certificate.h"

#include <gtest/gtest.h>

#include "tests/local/scratch.h"

namespace det::local {
namespace {

using std::chrono::hours;
constexpr hours kYear{24 * 365};

TEST(SelfSignedCertificate, OutlivesTheProgramThatServesIt) {
  const test::Scratch scratch;
  const auto files = make_self_signed_certificate(scratch.path(), "127.0.0.1", "here");
  ASSERT_TRUE(files);
  EXPECT_TRUE(is_valid_for(files->certificate, hours(0)));
  EXPECT_TRUE(is_valid_for(files->certificate, 9 * kYear));
  EXPECT_FALSE(is_valid_for(files->certificate, 11 * kYear));
}

TEST(SelfSignedCertificate, WhatIsNoneIsNotValid) {
  const test::Scratch scratch;
  test::write_text(scratch.path() + "/server.crt", "no certificate\n");
  EXPECT_FALSE(is_valid_for(scratch.path() + "/server.crt", hours(0)));
  EXPECT_FALSE(is_valid_for(scratch.path() + "/none.crt", hours(0)));
}

}  // namespace
}  // namespace det::local
