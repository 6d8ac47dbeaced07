#include "local/kubeapi/cel.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include <gmock/gmock.h>

#include "base/yaml.h"
#include "local/kubeapi/resource_type.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;
using Verdict = CelRule::Verdict;

Verdict verdict(const char* rule, const json& self, const json& old_self = nullptr) {
  const auto parsed = CelRule::parse(rule);
  EXPECT_NE(parsed, nullptr) << rule;
  return parsed == nullptr ? Verdict::kCannotTell : parsed->evaluate(self, &old_self);
}

TEST(CelRule, ComparesWithTheOldValue) {
  EXPECT_EQ(verdict("self.a == oldSelf.a", {{"a", 1}}, {{"a", 1}}), Verdict::kHolds);
  EXPECT_EQ(verdict("self.a == oldSelf.a", {{"a", 1}}, {{"a", 2}}), Verdict::kFails);
  EXPECT_EQ(verdict("self.a == oldSelf.a", {{"a", 1}}, json::object()), Verdict::kCannotTell);
  EXPECT_EQ(
      verdict("has(self.a) == has(oldSelf.a) && (!has(self.a) || self.a == oldSelf.a)", json::object(), json::object()),
      Verdict::kHolds);
  EXPECT_EQ(verdict("(has(self.n) ? self.n : 1) == (has(oldSelf.n) ? oldSelf.n : 1)", {{"n", 1}}, json::object()),
            Verdict::kHolds);
  EXPECT_TRUE(CelRule::parse("self == oldSelf")->compares_with_old());
  EXPECT_FALSE(CelRule::parse("self.oldSelf == 'oldSelf'")->compares_with_old());
}

TEST(CelRule, CountsAndFilters) {
  const char* one = "[has(self.a), has(self.b), has(self.c)].filter(x, x).size() == 1";
  EXPECT_EQ(verdict(one, {{"a", 1}}), Verdict::kHolds);
  EXPECT_EQ(verdict(one, {{"a", 1}, {"c", 1}}), Verdict::kFails);
  EXPECT_EQ(verdict(one, json::object()), Verdict::kFails);
  EXPECT_EQ(verdict("(has(self.l) && self.l.size() > 0) || self.x < 3", {{"l", {1}}}), Verdict::kHolds);
}

TEST(CelRule, IsDecidedByOneSideWhereItCan) {
  EXPECT_EQ(verdict("self.missing == 1 || true", json::object()), Verdict::kHolds);
  EXPECT_EQ(verdict("self.missing == 1 && false", json::object()), Verdict::kFails);
  EXPECT_EQ(verdict("self.missing == 1 || false", json::object()), Verdict::kCannotTell);
}

TEST(CelRule, OfOtherPartsOfTheLanguageIsNotUnderstood) {
  for (const char* rule :
       {"", "self.", "self.all(x, x > 1)", "self.matches('a')", "self.a + 1 == 2", "other == 1", "'a' == \"b",
        "1.5 < 2", "self == oldSelf extra", "has(self)", "self[0] == 1", "x.filter(x, x)"}) {
    EXPECT_EQ(CelRule::parse(rule), nullptr) << rule;
  }
  EXPECT_EQ(CelRule::parse(std::string(5000, '!') + "self"), nullptr);
  EXPECT_EQ(CelRule::parse(std::string(3000, '(') + "self"), nullptr);
}

TEST(CelRule, EndsHoweverMuchItAsksFor) {
  std::string rule = "x8.size() == 1";
  for (int i = 8; i > 0; --i) {
    rule = "self.l.filter(x" + std::to_string(i) + ", " + rule + ").size() == 1";
  }
  json list = json::array();
  for (int i = 0; i < 100; ++i) list.push_back(json::array({1}));
  EXPECT_EQ(verdict(rule.c_str(), {{"l", list}}), Verdict::kCannotTell);
}

// Every rule of the product's own definitions is one that counts in local mode.
TEST(CelRule, OfOurOwnDefinitionsAreAllUnderstood) {
  int rules = 0;
  const std::function<void(const json&)> walk = [&](const json& schema) {
    if (schema.is_object() && schema.contains("x-kubernetes-validations") &&
        schema["x-kubernetes-validations"].is_array()) {
      for (const json& each : schema["x-kubernetes-validations"]) {
        ++rules;
        EXPECT_NE(CelRule::parse(each.at("rule").get<std::string>()), nullptr) << each.dump();
      }
    }
    if (schema.is_structured()) {
      for (const json& member : schema) walk(member);
    }
  };
  for (const auto& file : std::filesystem::directory_iterator("crds")) {
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    walk(parse_yaml(text.str()).value());
  }
  EXPECT_GT(rules, 15);
}

struct OurExperiments : testing::Test {
  OurExperiments() {
    std::ostringstream text;
    text << std::ifstream("crds/experiments.yaml").rdbuf();
    std::vector<FieldError> errors;
    type = read_definition(parse_yaml(text.str()).value(), errors);
    EXPECT_THAT(errors, IsEmpty());
    before["spec"] = {{"template", "gpu"},
                      {"context", {{"configMap", {{"name", "code"}}}}},
                      {"config",
                       {{"name", "a"},
                        {"searcher", {{"name", "random"}, {"metric", "loss"}, {"max_trials", 4}}},
                        {"resources", {{"slots_per_trial", 2}}}}}};
  }
  std::vector<std::string> refused(const json& patch) const {
    json after = before;
    after.merge_patch({{"spec", patch}});
    std::vector<FieldError> errors;
    validate_rules(type.schema, after, &before, "", errors);
    std::vector<std::string> texts;
    for (const FieldError& error : errors) texts.push_back(error.path + ": " + error.message);
    return texts;
  }
  ResourceType type;
  json before;
};

TEST_F(OurExperiments, KeepWhatCannotChange) {
  EXPECT_THAT(
      refused({{"config", {{"searcher", {{"metric", "other"}}}}}}),
      ElementsAre("spec.config.searcher: Invalid value: \"object\": searcher.metric cannot change; create a new "
                  "experiment"));
  EXPECT_THAT(refused({{"config", {{"searcher", {{"name", "grid"}, {"max_trials", nullptr}}}}}}),
              ElementsAre(testing::HasSubstr("searcher.name cannot change"),
                          testing::HasSubstr("searcher.max_trials cannot change")));
  EXPECT_THAT(refused({{"config", {{"resources", {{"slots_per_trial", 3}}}}}}),
              ElementsAre(testing::HasSubstr("resources.slots_per_trial cannot change")));
  EXPECT_THAT(refused({{"template", nullptr}}), ElementsAre(testing::HasSubstr("spec.template cannot change")));
  EXPECT_THAT(refused({{"context", {{"configMap", {{"name", "other"}}}}}}),
              ElementsAre(testing::HasSubstr("spec.context cannot change")));
  EXPECT_THAT(refused({{"context", {{"archive", "x"}}}}),
              ElementsAre(testing::HasSubstr("exactly one of"), testing::HasSubstr("spec.context cannot change")));
}

TEST_F(OurExperiments, ChangeWhereTheyMay) {
  EXPECT_THAT(refused({{"suspend", true}, {"config", {{"name", "b"}, {"resources", {{"priority", 9}}}}}}), IsEmpty());
  EXPECT_THAT(refused({{"stop", "Cancel"}}), IsEmpty());
  before["spec"]["stop"] = "Cancel";
  EXPECT_THAT(refused({{"stop", "Kill"}}), IsEmpty());
  EXPECT_THAT(refused({{"stop", nullptr}}), ElementsAre(testing::HasSubstr("spec.stop is one-way")));
}

}  // namespace
}  // namespace det::local::kubeapi
