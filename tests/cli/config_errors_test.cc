#include "cli/config_errors.h"

#include <gtest/gtest.h>

namespace det::cli {
namespace {

constexpr const char* kText =
    "# Größe\n"
    "entrypoint: python3 train.py\n"
    "resources:\n"
    "  slots_per_trail: 4  # all of them\n"
    "  priority: high  # really\n"
    "searcher: {name: bayesian, metric: loss}\n"
    "bind_mounts:\n"
    "  - host_path: data\n"
    "labels: [a, 5]\n";

std::string placed(const std::string& message, std::vector<std::string> overrides = {}) {
  return with_places(message, {.file = "exp.yaml", .text = kText, .overrides = std::move(overrides)});
}

TEST(ConfigErrors, QuoteTheLineAndMarkTheKeyThatIsUnknown) {
  EXPECT_EQ(placed("invalid experiment configuration: <config>.resources: additionalProperties \"slots_per_trail\" not "
                   "allowed; did you mean \"slots_per_trial\"? (line 99)"),
            "invalid experiment configuration:\n"
            "exp.yaml:4: resources: additionalProperties \"slots_per_trail\" not allowed; did you mean "
            "\"slots_per_trial\"?\n"
            "  4 |   slots_per_trail: 4  # all of them\n"
            "    |   ^^^^^^^^^^^^^^^");
}

TEST(ConfigErrors, MarkTheValueThatIsWrong) {
  EXPECT_EQ(placed("<config>.resources.priority: expected integer or null, but got string (it is \"high\")"),
            "exp.yaml:5: resources.priority: expected integer or null, but got string (it is \"high\")\n"
            "  5 |   priority: high  # really\n"
            "    |             ^^^^");
  EXPECT_EQ(placed("<config>.searcher.name: searcher.name 'bayesian' is unknown; use single\n"
                   "<config>.labels[1]: expected string, but got number (it is 5)"),
            "exp.yaml:6: searcher.name 'bayesian' is unknown; use single\n"
            "  6 | searcher: {name: bayesian, metric: loss}\n"
            "    |                  ^^^^^^^^\n"
            "exp.yaml:9: labels[1]: expected string, but got number (it is 5)\n"
            "  9 | labels: [a, 5]\n"
            "    | ^^^^^^^^^^^^^^");
}

TEST(ConfigErrors, StandInTheOrderOfTheFile) {
  const std::string all = placed(
      "invalid: <config>.bind_mounts[0].host_path: must be an absolute path\n"
      "<config>.entrypoint: odd\n<config>.name: from an option\n<config>: searcher is missing",
      {"name=x"});
  const auto at = [&](const char* text) { return all.find(text); };
  EXPECT_LT(at("exp.yaml: searcher is missing"), at("exp.yaml:2: entrypoint: odd"));
  EXPECT_LT(at("exp.yaml:2:"), at("exp.yaml:8: bind_mounts[0].host_path"));
  EXPECT_LT(at("exp.yaml:8:"), at("from --config 'name=x': name: from an option"));
}

TEST(ConfigErrors, PointToWhatIsAroundSomethingMissing) {
  EXPECT_EQ(placed("<config>.bind_mounts[0]: missing properties: \"container_path\""),
            "exp.yaml:8: bind_mounts[0]: missing properties: \"container_path\"\n"
            "  8 |   - host_path: data\n"
            "    |     ^^^^^^^^^^^^^^^");
  EXPECT_EQ(placed("<config>: checkpoint_storage is missing (checkpoint_storage is a required property)"),
            "exp.yaml: checkpoint_storage is missing (checkpoint_storage is a required property)");
}

TEST(ConfigErrors, SayWhenAnOverrideWroteIt) {
  EXPECT_EQ(placed("<config>.resources.priority: must be <= 99 but found 100 (line 4)", {"resources.priority=100"}),
            "from --config 'resources.priority=100': resources.priority: must be <= 99 but found 100");
  EXPECT_EQ(placed("<config>.resources: additionalProperties \"zz\" not allowed", {"name=x", "resources={zz: 1}"}),
            "from --config 'resources={zz: 1}': resources: additionalProperties \"zz\" not allowed");
  // The file's own, beside an override of the same section: its line is the file's, whatever was sent.
  EXPECT_EQ(placed("<config>.resources: additionalProperties \"slots_per_trail\" not allowed (line 1)",
                   {"resources.priority=5"}),
            "exp.yaml:4: resources: additionalProperties \"slots_per_trail\" not allowed\n"
            "  4 |   slots_per_trail: 4  # all of them\n"
            "    |   ^^^^^^^^^^^^^^^");
}

TEST(ConfigErrors, LeaveOtherMessagesAlone) {
  EXPECT_EQ(placed("template 't' not found"), "template 't' not found");
  EXPECT_EQ(placed("config 'a' in <config> is odd"), "config 'a' in <config> is odd");
}

TEST(ConfigErrors, DoNotQuoteWhatATerminalShouldNotHave) {
  const std::string text = "a: 1\nzz: \u202e1\nyy: " + std::string(500, 'x') + "\n";
  const WrittenConfig config{.file = "-", .text = text, .overrides = {}};
  EXPECT_EQ(with_places("<config>: additionalProperties \"yy\" not allowed", config),
            "<standard input>:3: additionalProperties \"yy\" not allowed");
  EXPECT_EQ(with_places("<config>: additionalProperties \"zz\" not allowed", config),
            "<standard input>:2: additionalProperties \"zz\" not allowed");
}

}  // namespace
}  // namespace det::cli
