#include "base/encoding.h"

#include <cctype>
#include <set>

#include <gtest/gtest.h>

namespace det {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(base64_encode(""), "");
  EXPECT_EQ(base64_encode("f"), "Zg==");
  EXPECT_EQ(base64_encode("fo"), "Zm8=");
  EXPECT_EQ(base64_encode("foo"), "Zm9v");
  EXPECT_EQ(base64_encode("foobar"), "Zm9vYmFy");
}

TEST(Base64, DecodesWhatItEncodedForEveryLength) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(base64_decode(base64_encode(bytes)).value(), bytes);
    bytes.push_back(static_cast<char>(i * 37));
  }
}

TEST(Base64, ReadsTheUrlAlphabetAndMissingPadding) {
  EXPECT_EQ(base64_decode("-_-_").value(), base64_decode("+/+/").value());
  EXPECT_EQ(base64_decode("Zg").value(), "f");
}

TEST(Base64, RefusesWhatIsNotBase64) {
  for (const char* text : {"Z", "Zg=", "Zm9v=", "Zm 9", "Zm9v\n", "====", "Zh==", "Zm9*"}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
}

TEST(Base64, SaysWhichCharacterIsNone) {
  const auto words = [](std::string_view text) { return base64_decode(text).error().message; };
  EXPECT_EQ(words("Zm9vZm 9"), "not base64: unexpected character at offset 6");
  EXPECT_EQ(words("Zm\xff"), "not base64: unexpected character at offset 2");
  EXPECT_EQ(words("Zm9="), "not base64: the last character has bits left over");
  for (int c = 0; c < 256; ++c) {
    const bool is_digit = std::isalnum(c) != 0 || c == '+' || c == '/' || c == '-' || c == '_';
    const std::string text = {'A', static_cast<char>(c), 'A', 'A'};
    EXPECT_EQ(base64_decode(text).has_value(), is_digit) << c;
  }
}

TEST(Hex, RoundTripsAndRefusesOddDigits) {
  EXPECT_EQ(hex_encode(std::string_view("\x00\xff\x1a", 3)), "00ff1a");
  EXPECT_EQ(hex_decode("00FF1a").value(), std::string("\x00\xff\x1a", 3));
  EXPECT_FALSE(hex_decode("0"));
  EXPECT_FALSE(hex_decode("0g"));
}

TEST(Digest, MatchesTheKnownValuesOfAbc) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha512_hex("abc").substr(0, 32), "ddaf35a193617abacc417349ae204131");
}

TEST(Random, GivesUnpaddedTokensOfTheAskedSizeThatDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) seen.insert(random_token(32));
  EXPECT_EQ(seen.size(), 100U);
  EXPECT_EQ(seen.begin()->size(), 43U);
  EXPECT_EQ(base64_decode(*seen.begin()).value().size(), 32U);
}

TEST(Uuid, HasVersionFourAndTheStandardVariant) {
  for (int i = 0; i < 50; ++i) {
    const std::string uuid = uuid_v4();
    ASSERT_EQ(uuid.size(), 36U);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos) << uuid;
  }
}

TEST(Utf8, TellsWellFormedTextFromOtherBytes) {
  for (const char* text : {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
  }
  for (const char* bytes :
       {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "a\x80", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(is_valid_utf8(bytes)) << hex_encode(bytes);
  }
}

}  // namespace
}  // namespace det
