#include "base/yaml_lines.h"

#include <gtest/gtest.h>

namespace det {
namespace {

constexpr std::string_view kText = R"(# a comment
name: x
resources:
  slots_per_trial: many

  devices:
    - /a:/b
    - {host_path: /c,
       mode: r}
searcher: {name: single,
  metric: 5}
base: &base
  a: 1
copy: *base
)";

TEST(YamlLines, KnowKeysAndItems) {
  const YamlLines lines = yaml_lines(kText);
  EXPECT_EQ(line_of(lines, "name"), 2);
  EXPECT_EQ(line_of(lines, "resources"), 3);
  EXPECT_EQ(line_of(lines, "resources.slots_per_trial"), 4);
  EXPECT_EQ(line_of(lines, "resources.devices[0]"), 7);
  EXPECT_EQ(line_of(lines, "resources.devices[1].mode"), 9);
  EXPECT_EQ(line_of(lines, "searcher.metric"), 11);
}

TEST(YamlLines, GiveTheNearestLineOfWhatIsNotThere) {
  const YamlLines lines = yaml_lines(kText);
  EXPECT_EQ(line_of(lines, "resources.devices[1].container_path"), 8);
  EXPECT_EQ(line_of(lines, "copy.a"), 14);
  EXPECT_EQ(line_of(lines, "nothing.at.all"), std::nullopt);
  EXPECT_EQ(line_of(lines, ""), std::nullopt);
}

TEST(YamlLines, AreAddedToErrors) {
  FieldErrors errors;
  add_field_error(errors, "searcher.metric", "wrong");
  add_field_error(errors, "resources", R"(additionalProperties "devices", "x" not allowed)");
  add_field_error(errors, "", "searcher is a required property");
  add_lines(errors, kText);
  EXPECT_EQ(errors[0].message, "wrong (line 11)");
  EXPECT_EQ(errors[1].message, R"(additionalProperties "devices", "x" not allowed (line 6))");
  EXPECT_EQ(errors[2].message, "searcher is a required property");
}

TEST(YamlLines, AreNoneOfWhatIsNoYaml) {
  EXPECT_TRUE(yaml_lines("a: [").empty());
  EXPECT_TRUE(yaml_lines("").empty());
}

}  // namespace
}  // namespace det
