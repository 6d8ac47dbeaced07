#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml.h"
#include "cli/config_overrides.h"
#include "cli/text.h"
#include "cli/yaml_text.h"
#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

TEST(SizeText, UsesPowersOf1024) {
  EXPECT_EQ(size_text(0), "0.0B");
  EXPECT_EQ(size_text(8794), "8.6KB");
  EXPECT_EQ(size_text(1536.0 * 1024), "1.5MB");
}

TEST(Cells, LookLikeThoseOfThePythonCommandLine) {
  EXPECT_EQ(time_cell("2026-11-21T17:20:14.123456Z"), "2026-11-21 17:20:14+0000");
  EXPECT_EQ(time_cell("2026-11-21T18:20:14+01:00"), "2026-11-21 17:20:14+0000");
  EXPECT_EQ(time_cell(nullptr), nullptr);
  EXPECT_EQ(percent_cell(0.5), "50.0%");
  EXPECT_EQ(percent_cell(nullptr), nullptr);
  EXPECT_EQ(state_text("STATE_COMPLETED"), "COMPLETED");
  EXPECT_EQ(cell_json({{"b", 1}, {"a", "\u00fc"}}), "{\n    \"a\": \"\\u00fc\",\n    \"b\": 1\n}");
}

TEST(YamlText, IsReadBackAsTheSameValue) {
  const Json value = {{"plain", "text with spaces"},
                      {"yes", "yes"},
                      {"number", "12"},
                      {"octal", "017"},
                      {"empty", ""},
                      {"colon", "a: b"},
                      {"dash", "- x"},
                      {"hash", "a #b"},
                      {"quote", "it's"},
                      {"lines", "one\ntwo\t\"x\""},
                      {"small", 1e-05},
                      {"float", 0.5},
                      {"null", nullptr},
                      {"bool", true},
                      {"list", {1, "a", {{"k", {1, 2}}, {"l", Json::object()}}, Json::array({1, 2}), Json::array()}},
                      {"nested", {{"deeper", {{"deepest", "x"}}}, {"null", nullptr}}},
                      {"12", "a key that reads as a number"}};
  const std::string text = yaml_text(value);
  const auto read = parse_yaml(text);
  ASSERT_TRUE(read) << read.error().message << "\n" << text;
  EXPECT_EQ(*read, value) << text;
}

TEST(YamlText, IsBlockStyleWithListsAtTheDepthOfTheirKey) {
  EXPECT_EQ(yaml_text({{"a", {1, {{"x", 1}, {"z", 2}}}}, {"b", Json::array()}, {"c", {{"d", nullptr}}}}),
            "a:\n- 1\n- x: 1\n  z: 2\nb: []\nc:\n  d: null\n");
}

TEST(Overrides, ReadValuesAsYaml) {
  const auto config = with_overrides(
      {{"name", "n"}, {"resources", {{"slots_per_trial", 1}, {"priority", 3}}}, {"slurm", nullptr}},
      {"resources.slots_per_trial=4", "labels=a,b", "hyperparameters={lr: 0.1}", "name=x=y", "slurm.args=[--mem]",
       "bind_mounts={host_path: /a, container_path: /b}", "debug=true", "description="});
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, (Json{{"name", "x=y"},
                           {"resources", {{"slots_per_trial", 4}, {"priority", 3}}},
                           {"labels", {"a", "b"}},
                           {"hyperparameters", {{"lr", 0.1}}},
                           {"slurm", {{"args", {"--mem"}}}},
                           {"bind_mounts", Json::array({{{"host_path", "/a"}, {"container_path", "/b"}}})},
                           {"debug", true},
                           {"description", nullptr}}));
}

TEST(Overrides, NameTheOptionThatIsWrong) {
  EXPECT_THAT(with_overrides({}, {"slots"}).error().message, testing::HasSubstr("--config 'slots': write key=value"));
  EXPECT_THAT(with_overrides({}, {"a..b=1"}).error().message, testing::HasSubstr("'a..b' has an empty part"));
  EXPECT_THAT(with_overrides({}, {"a={x"}).error().message, testing::HasSubstr("--config 'a={x'"));
}

struct Output : CliTest {};

TEST_F(Output, ThatCannotBeWrittenIsAFailure) {
  reader_has_left = true;  // and nobody says so: a full disk
  const Outcome version = det({"--version"});
  EXPECT_EQ(version.code, 1);
  EXPECT_THAT(version.err, testing::HasSubstr("Failed to write the output"));
  log_in();
  http.answer(200, {{"users", Json::array()}});
  EXPECT_EQ(det({"user", "list", "--json"}).code, 1);
}

}  // namespace
}  // namespace det::cli
