#include "operator/experiment/experiment_status.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace det::op {
namespace {

using nlohmann::json;

const WallTime kNow = *parse_rfc3339("2026-11-21T12:00:00Z");

ExperimentFacts facts(std::vector<std::string> warnings) {
  ExperimentFacts facts;
  facts.row.id = model::ExperimentId{7};
  facts.row.state = model::ExperimentState::kActive;
  facts.warnings = std::move(warnings);
  return facts;
}

std::string accepted_message(const ExperimentFacts& facts) {
  const json accepted = experiment_status(ObservedExperiment(), facts, kNow)["conditions"][0];
  EXPECT_EQ(accepted["type"], "Accepted");
  EXPECT_EQ(accepted["status"], "True");
  EXPECT_EQ(accepted["reason"], "ConfigAccepted");
  return accepted["message"];
}

TEST(ExperimentStatus, TellsWhatWasAcceptedWithoutEffect) {
  EXPECT_EQ(accepted_message(facts({})), "experiment 7 was accepted");
  EXPECT_EQ(accepted_message(facts({"a has no effect here: b.", "c has no effect here: d."})),
            "experiment 7 was accepted\na has no effect here: b.\nc has no effect here: d.");
}

TEST(ExperimentStatus, TellsNoMoreOfThatThanPeopleRead) {
  const std::string message = accepted_message(facts(std::vector(1'000, std::string(100, 'x'))));
  EXPECT_LT(message.size(), 2'100u);
  EXPECT_THAT(message, testing::EndsWith(" more"));
}

TEST(ExperimentView, KnowsWhatOfTheObjectHasNoEffect) {
  const auto warnings = [](const char* spec) { return view_experiment({{"spec", json::parse(spec)}}).warnings; };
  EXPECT_THAT(warnings(R"({"config": {}, "deletionPolicy": "Keep", "suspend": true})"), testing::IsEmpty());
  EXPECT_THAT(warnings(R"({"config": {}, "deletionPolicy": "Delete", "project": "p"})"),
              testing::ElementsAre(testing::StartsWith("spec.deletionPolicy has no effect here: "),
                                   testing::StartsWith("spec.project has no effect here: ")));
}

}  // namespace
}  // namespace det::op
