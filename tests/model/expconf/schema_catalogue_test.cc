#include "model/expconf/schema_catalogue.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/yaml.h"
#include "tests/model/expconf/config_rules.h"

namespace det::model {
namespace {

using nlohmann::json;

const NamedSchema& schema_of(const std::string& file) {
  return **find_schema(experiment_schemas(), "http://determined.ai/schemas/expconf/v0/" + file);
}

std::string errors_of(const std::string& file, std::string_view yaml, SchemaOp op = SchemaOp::kCheckSane) {
  const auto answer = apply_schema(schema_of(file), op, parse_yaml(yaml).value(), json(), {});
  return answer ? "" : join_errors(answer.error());
}

// Every instance of the conformance cases, and what they are merged with.
std::vector<json> instances() {
  std::vector<json> found;
  for (const auto& entry : std::filesystem::directory_iterator("tests/model/expconf_cases")) {
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const json cases = parse_yaml(text.str()).value();
    for (const json& each : cases) {
      found.push_back(each.at("case"));
      if (each.contains("merge_src")) found.push_back(each.at("merge_src"));
    }
  }
  return found;
}

TEST(SchemaCatalogue, NamesEverySchemaOnce) {
  std::set<std::string_view> files;
  for (const NamedSchema& schema : experiment_schemas()) files.insert(schema.file);
  EXPECT_EQ(files.size(), experiment_schemas().size());
  EXPECT_EQ(files.size(), 61U);
}

TEST(SchemaCatalogue, SaysHowSchemasAreCalled) {
  const auto missing = find_schema(experiment_schemas(), "experiment.json");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, testing::HasSubstr("http://determined.ai/schemas/expconf/v0/NAME.json"));
}

TEST(SchemaCatalogue, ReportsEverythingThatIsWrongOfBothSidesOfAMerge) {
  const auto answer =
      apply_schema(schema_of("bind-mount.json"), SchemaOp::kMerge, {{"host_path", "/a"}}, {{"container_path", 5}}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(join_errors(answer.error()),
            "<config>.container_path: expected string, but got number\n"
            "<config>: missing properties: \"container_path\"\n"
            "<config>: missing properties: \"host_path\"");
}

TEST(SchemaCatalogue, WritesTypesAsTheValidatorOfDeterminedDoes) {
  EXPECT_EQ(errors_of("resources.json", "{priority: 0, weight: x, max_slots: 1.5, devices: {}}"),
            "<config>.devices: expected array or null, but got object\n"
            "<config>.max_slots: expected integer or null, but got number\n"
            "<config>.priority: must be >= 1 but found 0\n"
            "<config>.weight: expected number or null, but got string");
  EXPECT_EQ(errors_of("experiment.json", "{}", SchemaOp::kCheckComplete),
            "<config>: checkpoint_storage is a required property\n"
            "<config>: hyperparameters is a required property\n"
            "<config>: name is a required property\n"
            "<config>: reproducibility is a required property\n"
            "<config>: searcher is a required property");
}

TEST(SchemaCatalogue, KeepsItsRulesWithEveryCaseAndEverySchema) {
  const std::vector<json> all = instances();
  ASSERT_GT(all.size(), 100U);
  for (const NamedSchema& schema : experiment_schemas()) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string broken = broken_schema_rule(schema, all[i], all[(i + 1) % all.size()]);
      ASSERT_EQ(broken, "") << schema.file << ": " << all[i].dump();
    }
  }
}

TEST(SchemaCatalogue, WhatIsAcceptedStaysWhatItIs) {
  for (const json& base : {json(), json{{"searcher", {{"name", "single"}, {"metric", "m"}}}, {"entrypoint", "e"}}}) {
    for (const json& user : instances()) {
      ASSERT_EQ(broken_acceptance_rule(user, base), "") << user.dump();
    }
  }
}

}  // namespace
}  // namespace det::model
