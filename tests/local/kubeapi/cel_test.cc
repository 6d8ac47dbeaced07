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

TEST(CelRule, TakesAFieldThatIsNullForAbsent) {
  EXPECT_EQ(verdict("has(self.a)", {{"a", nullptr}}), Verdict::kFails);
  EXPECT_EQ(verdict("self.a == null", {{"a", nullptr}}), Verdict::kCannotTell);
  EXPECT_EQ(verdict("has(self.a.b)", {{"a", nullptr}}), Verdict::kCannotTell);
  EXPECT_EQ(verdict("has(self.a.b)", json::object()), Verdict::kCannotTell);
  EXPECT_EQ(verdict("has(self.a.b)", {{"a", json::object()}}), Verdict::kFails);
  EXPECT_EQ(verdict("has(self.a.b.c)", {{"a", {{"b", {{"c", 1}}}}}}), Verdict::kHolds);
  EXPECT_EQ(verdict("!has(self.a) || !has(self.a.b) || self.a.b == 1", {{"a", nullptr}}), Verdict::kHolds);
  EXPECT_EQ(verdict("!has(oldSelf.a) || self.a.b == oldSelf.a.b", json::object(), {{"a", nullptr}}), Verdict::kHolds);
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

std::vector<std::string> refusals(const Schema& schema, const json& after, const json* before) {
  std::vector<FieldError> errors;
  validate_rules(schema, after, before, "", errors);
  std::vector<std::string> texts;
  for (const FieldError& error : errors) texts.push_back(error.path + ": " + error.message);
  return texts;
}

TEST(SchemaRules, SayWhereTheirFieldPathPoints) {
  const json rule = {{"rule", "self.a == oldSelf.a"}, {"message", "no"}};
  json named = rule;
  named["fieldPath"] = ".a.b";
  const json inner = {
      {"type", "object"}, {"properties", {{"a", {{"type", "integer"}}}}}, {"x-kubernetes-validations", {rule, named}}};
  json outer = inner;
  outer["properties"]["c"] = inner;
  std::vector<FieldError> errors;
  const Schema schema = compile_schema(outer, "", errors);
  const json before = {{"a", 1}, {"c", {{"a", 1}}}};
  EXPECT_THAT(refusals(schema, {{"a", 2}, {"c", {{"a", 2}}}}, &before),
              ElementsAre("<nil>: Invalid value: \"object\": no", "a.b: Invalid value: \"object\": no",
                          "c: Invalid value: \"object\": no", "c.a.b: Invalid value: \"object\": no"));
  EXPECT_THAT(refusals(schema, {{"a", 2}}, nullptr), IsEmpty());
}

struct OurObjects : testing::Test {
  explicit OurObjects(const char* file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    std::vector<FieldError> errors;
    type = read_definition(parse_yaml(text.str()).value(), errors);
    EXPECT_THAT(errors, IsEmpty());
  }
  // What a change of the spec meets, and what the operator does that writes the status.
  std::vector<std::string> refused(const json& patch) const { return refused_patch({{"spec", patch}}); }
  std::vector<std::string> refused_status(const json& patch) const { return refused_patch({{"status", patch}}); }
  std::vector<std::string> refused_patch(const json& patch) const {
    json after = before;
    after.merge_patch(patch);
    return refusals(type.schema, after, &before);
  }
  ResourceType type;
  json before;
};

struct OurExperiments : OurObjects {
  OurExperiments() : OurObjects("crds/experiments.yaml") {
    before["spec"] = {{"template", "gpu"},
                      {"context", {{"configMap", {{"name", "code"}}}}},
                      {"config",
                       {{"name", "a"},
                        {"searcher", {{"name", "random"}, {"metric", "loss"}, {"max_trials", 4}}},
                        {"resources", {{"slots_per_trial", 2}}}}}};
    before["status"] = {{"id", 7}};
  }
};

TEST_F(OurExperiments, KeepWhatCannotChange) {
  EXPECT_THAT(
      refused({{"config", {{"searcher", {{"metric", "other"}}}}}}),
      ElementsAre("spec.config.searcher.metric: Invalid value: \"object\": searcher.metric cannot change; create a new "
                  "experiment"));
  EXPECT_THAT(refused({{"config", {{"searcher", {{"name", "grid"}, {"max_trials", nullptr}}}}}}),
              ElementsAre(testing::HasSubstr("searcher.name cannot change"),
                          testing::HasSubstr("searcher.max_trials cannot change")));
  EXPECT_THAT(refused({{"config", {{"searcher", nullptr}}}}),
              ElementsAre(testing::HasSubstr("spec.config.searcher cannot be added or removed")));
  EXPECT_THAT(refused({{"config", {{"resources", {{"slots_per_trial", 3}}}}}}),
              ElementsAre(testing::HasSubstr("resources.slots_per_trial cannot change")));
  EXPECT_THAT(refused({{"template", nullptr}}), ElementsAre(testing::HasSubstr("spec.template cannot change")));
  EXPECT_THAT(refused({{"context", nullptr}}), ElementsAre(testing::HasSubstr("spec.context cannot be added")));
  EXPECT_THAT(refused({{"context", {{"configMap", {{"name", "other"}}}}}}),
              ElementsAre(testing::HasSubstr("spec.context cannot change")));
  EXPECT_THAT(refused({{"context", {{"archive", "x"}}}}),
              ElementsAre(testing::HasSubstr("spec.context cannot change"), testing::HasSubstr("exactly one of")));
}

TEST_F(OurExperiments, ChangeWhereTheyMay) {
  EXPECT_THAT(refused({{"suspend", true}, {"config", {{"name", "b"}, {"resources", {{"priority", 9}}}}}}), IsEmpty());
  EXPECT_THAT(refused({{"stop", "Cancel"}}), IsEmpty());
  before["spec"]["stop"] = "Cancel";
  EXPECT_THAT(refused({{"stop", "Kill"}}), IsEmpty());
  EXPECT_THAT(refused({{"stop", nullptr}}), ElementsAre(testing::HasSubstr("spec.stop is one-way")));
}

TEST_F(OurExperiments, MayBeCorrectedUntilTheyAreAccepted) {
  const json other = {{"template", nullptr},
                      {"context", {{"configMap", {{"name", "other"}}}}},
                      {"config",
                       {{"searcher", {{"name", "adaptive_asha"}, {"metric", "other"}, {"max_trials", nullptr}}},
                        {"resources", {{"slots_per_trial", 3}}}}}};
  EXPECT_THAT(refused(other), testing::SizeIs(6));
  for (const json& status : {json(), json::object(), json{{"state", "REJECTED"}}}) {
    before["status"] = status;
    EXPECT_THAT(refused(other), IsEmpty()) << status;
    EXPECT_THAT(refused({{"context", nullptr}, {"config", {{"searcher", nullptr}}}}), IsEmpty()) << status;
  }
  before.erase("status");
  EXPECT_THAT(refused(other), IsEmpty());
  EXPECT_THAT(refused({{"context", {{"archive", "x"}}}}), ElementsAre(testing::HasSubstr("exactly one of")));
  before["spec"]["stop"] = "Kill";
  EXPECT_THAT(refused({{"stop", nullptr}}), ElementsAre(testing::HasSubstr("spec.stop is one-way")));
}

// With an error for a missing field, no status of them could be written any more.
TEST_F(OurExperiments, OfFewFieldsHaveTheirStatusWritten) {
  const json bare = {{"config", json::object()}};
  const json with_null = {{"config", {{"resources", nullptr}, {"searcher", {{"name", "single"}}}}}};
  const json with_empty = {{"config", {{"resources", json::object()}, {"searcher", json::object()}}}};
  for (const json& spec : {bare, with_null, with_empty}) {
    before = {{"spec", spec}};
    EXPECT_THAT(refused_status({{"state", "REJECTED"}}), IsEmpty()) << spec;
    EXPECT_THAT(refused_status({{"id", 7}}), IsEmpty()) << spec;
    before["status"] = {{"id", 7}};
    EXPECT_THAT(refused_status({{"state", "RUNNING"}}), IsEmpty()) << spec;
    EXPECT_THAT(refused({{"suspend", true}}), IsEmpty()) << spec;
    EXPECT_THAT(refused({{"config", {{"resources", {{"priority", 9}}}}}}), IsEmpty()) << spec;
    EXPECT_THAT(refused({{"config", {{"resources", nullptr}}}}), IsEmpty()) << spec;
  }
}

struct OurTasks : OurObjects {
  OurTasks() : OurObjects("crds/tasks.yaml") {
    before["spec"] = {{"type", "TensorBoard"},
                      {"workspace", "vision"},
                      {"tensorBoard", {{"experimentIDs", {7}}}},
                      {"config", {{"resources", nullptr}}}};
  }
};

TEST_F(OurTasks, MayBeCorrectedUntilTheyAreAccepted) {
  const json other = {{"type", "Command"},
                      {"workspace", nullptr},
                      {"tensorBoard", nullptr},
                      {"template", "gpu"},
                      {"context", {{"archive", "x"}}}};
  EXPECT_THAT(refused(other), IsEmpty());
  before["status"] = {{"state", "REJECTED"}};
  EXPECT_THAT(refused(other), IsEmpty());
  EXPECT_THAT(refused({{"type", "Command"}}), ElementsAre(testing::HasSubstr("it is required for that type")));
  EXPECT_THAT(refused_status({{"id", "1ab2"}}), IsEmpty());
  before["status"] = {{"id", "1ab2"}};
  EXPECT_THAT(refused_status({{"ready", true}}), IsEmpty());
  EXPECT_THAT(
      refused(other),
      ElementsAre("spec.type: Invalid value: \"object\": spec.type cannot change; create a new task",
                  testing::HasSubstr("spec.context cannot be added or removed"),
                  testing::HasSubstr("spec.template cannot change"), testing::HasSubstr("spec.workspace cannot change"),
                  testing::HasSubstr("spec.tensorBoard cannot change")));
  EXPECT_THAT(refused({{"stop", "Kill"}}), IsEmpty());
}

}  // namespace
}  // namespace det::local::kubeapi
