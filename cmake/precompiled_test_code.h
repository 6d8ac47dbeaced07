// As precompiled_code.h, for the tests: what their assertions are made of.

namespace det::precompiled {

inline void use_assertions(const std::string& text, const nlohmann::json& value,
                           const std::vector<std::string>& strings) {
  EXPECT_EQ(text, text);
  EXPECT_EQ(text, "a");
  EXPECT_EQ(value, value);
  EXPECT_EQ(value, "a");
  EXPECT_EQ(value, 1);
  EXPECT_EQ(value, true);
  EXPECT_EQ(value, text);
  EXPECT_EQ(strings, strings);
  EXPECT_EQ(strings.size(), 1U);
  EXPECT_EQ(strings.size(), strings.size());
  EXPECT_EQ(value.size(), 1);
  EXPECT_EQ(1, 1);
  EXPECT_EQ(std::int64_t{1}, 1);
  EXPECT_EQ(std::int64_t{1}, std::int64_t{1});
  EXPECT_EQ(1.5, 1.5);
  EXPECT_EQ(true, true);
  EXPECT_NE(text, "a");
  EXPECT_GT(strings.size(), 1U);
  EXPECT_TRUE(value.contains("a")) << text << value << "a" << 1 << strings.size();
  EXPECT_THAT(text, testing::HasSubstr("a"));
  EXPECT_THAT(text, testing::HasSubstr(text));
  EXPECT_THAT(text, testing::StartsWith("a"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("a")));
  EXPECT_THAT(strings, testing::ElementsAre("a"));
  EXPECT_THAT(strings, testing::ElementsAre("a", "b"));
  EXPECT_THAT(strings, testing::IsEmpty());
  EXPECT_THAT(strings, testing::Contains("a"));
}

}  // namespace det::precompiled
