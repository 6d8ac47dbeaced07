#include "wire/request_fields.h"

#include <gtest/gtest.h>

namespace det::wire {
namespace {

TEST(ParseBody, TakesNothingForAnEmptyObject) {
  EXPECT_EQ(parse_body("").value(), Json::object());
  EXPECT_EQ(parse_body("null").value(), Json::object());
  EXPECT_EQ(parse_any_body("10").value(), 10);
}

TEST(ParseBody, SaysWhatIsWrong) {
  EXPECT_EQ(parse_body("[1]").error().message, "the request's body must be a JSON object, not array");
  EXPECT_TRUE(parse_body("{\"a\":").error().message.starts_with("the request's body is not JSON: parse error"));
  EXPECT_EQ(parse_body("{\"a\":\"\xff\"}").error().code, ErrorCode::kInvalidArgument);
}

TEST(ParseBody, RefusesNestingThatWouldExhaustTheStack) {
  const std::string brackets(1'000'000, '[');
  EXPECT_EQ(parse_body(brackets).error().message, "the request's body is nested more than 100 levels deep");
  EXPECT_TRUE(parse_body("{\"a\":\"" + brackets + "\\\"[\"}").has_value());
}

TEST(RequestFields, ReadBothSpellings) {
  const Json body = {{"template_name", "t"}, {"trialRunId", "7"}};
  RequestFields fields(body);
  EXPECT_EQ(fields.string("templateName"), "t");
  EXPECT_EQ(fields.integer("trialRunId"), 7);
  EXPECT_TRUE(fields.status());
}

TEST(RequestFields, TakeNullAsNotSet) {
  const Json body = {{"labels", nullptr}};
  RequestFields fields(body);
  EXPECT_EQ(fields.strings("labels"), std::nullopt);
  EXPECT_TRUE(fields.status());
}

TEST(RequestFields, NameTheFirstWrongField) {
  const Json body = {{"a", {{"steps", "ten"}}}};
  RequestFields fields(body);
  RequestFields inner = fields.object("a");
  EXPECT_EQ(inner.integer("steps"), std::nullopt);
  EXPECT_EQ(inner.boolean("steps"), std::nullopt);
  EXPECT_EQ(inner.status().error().message, "a.steps: expected an integer, got \"ten\"");
}

TEST(RequestFields, RefuseIntegersThatDoNotFit) {
  const Json body = Json::parse(R"({"a": 18446744073709551615, "b": 1.5, "c": 2.0})");
  RequestFields fields(body);
  EXPECT_EQ(fields.integer("c"), 2);
  EXPECT_TRUE(fields.status());
  EXPECT_EQ(fields.integer("a"), std::nullopt);
  EXPECT_EQ(fields.integer("b"), std::nullopt);
  EXPECT_FALSE(fields.status());
}

TEST(RequestFields, ReportWhatIsMissing) {
  const Json body = Json::object();
  RequestFields fields(body);
  fields.require("username");
  EXPECT_EQ(fields.status().error().message, "missing argument: username");
}

TEST(RequestFields, KeepNulsOnlyWhereTheyAreWanted) {
  const Json body = {{"log", std::string("a\0b", 3)}, {"rank", 1}};
  RequestFields fields(body);
  EXPECT_EQ(fields.raw_string("log"), std::string_view("a\0b", 3));
  EXPECT_EQ(fields.raw_string("absent"), std::nullopt);
  EXPECT_TRUE(fields.status());
  EXPECT_EQ(fields.raw_string("rank"), std::nullopt);
  EXPECT_EQ(fields.status().error().message, "rank: expected a string, got 1");
}

TEST(LoneSurrogates, AreReplacedAndPairsAreNot) {
  const auto parsed = [](const std::string& text) { return Json::parse(replace_lone_surrogates("\"" + text + "\"")); };
  EXPECT_EQ(parsed(R"(caf\udce9!)"), "caf\uFFFD!");
  EXPECT_EQ(parsed(R"(\ud83d\ude00)"), "\U0001F600");
  EXPECT_EQ(parsed(R"(\ud83d\ud83d\ude00\ude00)"), "\uFFFD\U0001F600\uFFFD");
  EXPECT_EQ(parsed(R"(\uD83Dx\u0041)"), "\uFFFDxA");
  EXPECT_EQ(parsed(R"(\\ud83d)"), "\\ud83d") << "a backslash, and no escape";
  EXPECT_EQ(parsed(R"(\"\\\ud83d\n)"), "\"\\\uFFFD\n");
  for (const char* broken : {"\\", "\\u", "\\ud8", "\\ud83d\\", "\\ud83d\\u", "\\ud83d\\ude0", "\\ud83d\\u+de0", ""}) {
    EXPECT_FALSE(replace_lone_surrogates(broken).contains("ud83d")) << broken;
  }
}

}  // namespace
}  // namespace det::wire
