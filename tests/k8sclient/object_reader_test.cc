#include "k8sclient/object_reader.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace det::k8s {
namespace {

using nlohmann::json;

constexpr std::array kTexts = {
    R"({"a":[1,-2,0,18446744073709551615,9223372036854775808,-9223372036854775808,1.5,-0.0,1e300]})",
    R"({"text":"\u00e9\n\"\\\ud83d\ude00","true":true,"false":false,"null":null,"empty":{},"none":[]})",
    R"({"twice":1,"twice":2})",
    R"([[[[{"deep":[{"er":[]}]}]]]])",
    R"({"big":123456789012345678901234567890})",
    R"("only a text")",
    "  7  ",
};

TEST(ObjectReaderTest, ReadsWhatTheGeneralReaderReads) {
  ObjectReader reader(ManagedFields::kKeep);
  for (const char* text : kTexts) {
    const auto read = reader.read(text);
    ASSERT_TRUE(read) << text;
    const json expected = json::parse(text);
    EXPECT_EQ(*read, expected) << text;
    EXPECT_EQ(read->dump(), expected.dump()) << text;
  }
}

TEST(ObjectReaderTest, SaysThatSomethingIsNotJson) {
  ObjectReader reader(ManagedFields::kDrop);
  for (const char* text : {"", " ", "{", R"({"a":})", "nul", "{} {}", "\"\xff\"", "[1,]"}) {
    EXPECT_FALSE(reader.read(text)) << text;
  }
  EXPECT_TRUE(reader.read("{}")) << "it goes on after a bad one";
}

TEST(ObjectReaderTest, NestingDeeperThanTheFastReaderKnowsIsRead) {
  ObjectReader reader(ManagedFields::kKeep);
  const std::string text = std::string(2'000, '[') + std::string(2'000, ']');
  const auto read = reader.read(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->dump(), text);
}

TEST(ObjectReaderTest, LeavesOutWhoOwnsWhichField) {
  const std::string text =
      R"({"type":"ADDED","object":{"metadata":{"managedFields":[{"manager":"x","fieldsV1":{"f:spec":{}}}],"name":"a"}}})";
  const auto dropped = ObjectReader(ManagedFields::kDrop).read(text);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->dump(), R"({"object":{"metadata":{"name":"a"}},"type":"ADDED"})");
  EXPECT_EQ(ObjectReader(ManagedFields::kKeep).read(text), json::parse(text));
}

}  // namespace
}  // namespace det::k8s
