#include "model/expconf/config_warnings.h"

#include <gmock/gmock.h>

#include "model/expconf/sections.h"
#include "tests/model/expconf/accepting.h"
#include "tests/model/field_register.h"
#include "tests/model/schema_leaves.h"

namespace det::model {
namespace {

using nlohmann::json;
using test::accepted;
using test::minimal;
using test::registered_fields;
using test::RegisteredField;
using test::yaml;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A value that asks for something, of the first of these kinds that is taken.
const std::vector<json> kSamples = {7, true, "x", json{"x"}, json{7}, {{"a", 7}}};

// `path` set to `value` in a configuration that is otherwise fine.
json with(const std::string& path, const json& value) {
  json config = minimal();
  if (path.starts_with("checkpoint_storage.")) config["checkpoint_storage"] = test::kStorage;
  config[test::pointer_of(path)] = value;
  return config;
}

std::vector<std::string> warnings_of(const std::string& path) {
  std::vector<json> samples = kSamples;
  if (path == "resources.devices") samples = {json::array({"/dev/a:/dev/b"})};
  if (path == "tensorboard_storage") samples = {{{"type", "s3"}, {"bucket", "b"}}};
  for (const json& sample : samples) {
    const auto result = accept_config(with(path, sample), test::defaults(), test::kContext);
    if (result) return result->warnings;
  }
  ADD_FAILURE() << path << " takes none of the samples";
  return {};
}

TEST(FieldRegister, HasEveryFieldOfTheExperimentConfigurationAndNoOther) {
  EXPECT_EQ(test::paths_of(registered_fields("experiment")), test::leaves_of(kExperimentSchema));
}

TEST(FieldRegister, HoldsOfTheExperimentConfigurationWhatItSays) {
  std::set<std::string> warned;
  for (const RegisteredField& row : registered_fields("experiment")) {
    if (row.consumer == "refused") {
      for (const json& sample : kSamples) {
        const auto result = accept_config(with(row.path, sample), test::defaults(), test::kContext);
        EXPECT_FALSE(result) << row.path << " " << sample;
      }
    }
    if (!row.consumer.starts_with("warning")) continue;
    const auto colon = row.consumer.find(':');
    const std::string path = colon == std::string::npos ? row.path : row.consumer.substr(colon + 1);
    EXPECT_TRUE(row.path == path || row.path.starts_with(path + ".")) << row.path << " " << row.consumer;
    warned.insert(path);
    EXPECT_THAT(warnings_of(path), ElementsAre(testing::StartsWith(path + " has no effect here: "))) << path;
  }
  std::set<std::string> told;
  for (const IdleField& field : idle_experiment_fields()) told.emplace(field.path);
  EXPECT_EQ(warned, told);
}

TEST(FieldRegister, HoldsOfAnObjectWhatItSays) {
  std::set<std::string> warned;
  for (const RegisteredField& row : registered_fields("crd")) {
    if (row.consumer != "warning") continue;
    const std::string path = row.path.substr(std::string("experiments.").size());
    warned.insert(path);
    json spec = json::object();
    spec[path.substr(std::string("spec.").size())] = "Delete";
    EXPECT_THAT(object_warnings(spec), ElementsAre(testing::StartsWith(path + " has no effect here: ")));
  }
  std::set<std::string> told;
  for (const IdleField& field : idle_object_fields()) told.emplace(field.path);
  EXPECT_EQ(warned, told);
}

TEST(ConfigWarnings, AreNotAboutDefaults) {
  EXPECT_THAT(accepted(minimal()).warnings, IsEmpty());
  const AcceptedConfig first = accepted(minimal());
  EXPECT_THAT(accepted(first.document).warnings, IsEmpty()) << "every default stands in there";
  for (const IdleField& field : idle_experiment_fields()) {
    if (field.harmless.empty()) continue;
    const std::string path(field.path);
    EXPECT_THAT(accepted(with(path, json::parse(field.harmless))).warnings, IsEmpty()) << path;
  }
  EXPECT_THAT(object_warnings(yaml("{deletionPolicy: Keep, workspace: '', suspend: true}")), IsEmpty());
}

TEST(ConfigWarnings, AreNotAboutWhatTheClusterAdds) {
  const json task = yaml("{add_capabilities: [SYS_PTRACE], devices: ['/dev/a:/dev/b'], slurm: {gpu_type: a}}");
  EXPECT_THAT(accepted(minimal(), test::defaults(task)).warnings, IsEmpty());
}

TEST(ConfigWarnings, AreAboutTheTemplateWhereItCounts) {
  AcceptContext context = test::kContext;
  context.template_name = "t";
  context.template_config = yaml("resources: {weight: 2, agent_label: a}\n");
  json user = minimal();
  const auto both = accept_config(user, test::defaults(), context);
  ASSERT_TRUE(both);
  EXPECT_THAT(both->warnings, ElementsAre(HasSubstr("resources.agent_label"), HasSubstr("resources.weight")));
  user["resources"]["weight"] = 1;
  const auto own = accept_config(user, test::defaults(), context);
  ASSERT_TRUE(own);
  EXPECT_THAT(own->warnings, ElementsAre(HasSubstr("resources.agent_label")));
}

TEST(ConfigWarnings, ChangeNeitherDocumentNorHash) {
  const AcceptedConfig plain = accepted(minimal());
  const AcceptedConfig warned = accepted(with("data_layer", {{"type", "s3"}}));
  EXPECT_EQ(warned.warnings.size(), 1u);
  EXPECT_EQ(warned.document, plain.document);
  EXPECT_EQ(warned.hash, plain.hash);
}

TEST(ConfigWarnings, KnowTheFolderOfADirectoryFromThatOfASharedFileSystem) {
  json config = minimal();
  config["checkpoint_storage"] = {{"type", "directory"}, {"container_path", "/checkpoints"}};
  EXPECT_THAT(accepted(config).warnings, IsEmpty());
  // The kind comes from the cluster.
  config["checkpoint_storage"] = {{"container_path", "/checkpoints"}};
  EXPECT_THAT(accepted(config).warnings, ElementsAre(HasSubstr("checkpoint_storage.container_path")));
}

TEST(ConfigWarnings, NameWhatACustomSearchForgets) {
  json config = minimal();
  config["searcher"] = yaml("{name: custom, metric: loss, unit: epochs, max_trials: 5, smaller_is_better: false}");
  EXPECT_THAT(accepted(config).warnings, ElementsAre(HasSubstr("searcher.max_trials has no effect here")));
}

TEST(ConfigWarnings, CarryNothingOfWhatPeopleWrote) {
  json config = minimal();
  config["environment"]["add_capabilities"] = {"EVIL\x1b[31m"};
  config["environment"]["ports"] = {{"EVIL", 31337}};
  config["tensorboard_storage"] = {{"type", "s3"}, {"bucket", "EVIL"}, {"secret_key", "EVIL"}};
  config["data_layer"] = {{"EVIL", "EVIL"}};
  const std::string all = joined_warnings(accepted(config).warnings, 100'000);
  EXPECT_THAT(all, HasSubstr("environment.ports"));
  EXPECT_THAT(all, testing::Not(HasSubstr("EVIL")));
  EXPECT_THAT(all, testing::Not(HasSubstr("31337")));
  for (const char c : all) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~'));
}

TEST(ConfigWarnings, AreJoinedAsFarAsThereIsRoom) {
  const std::vector<std::string> warnings(5, std::string(99, 'a'));
  EXPECT_EQ(joined_warnings(warnings, 10'000).size(), 499u);
  EXPECT_EQ(joined_warnings(warnings, 499).size(), 499u);
  const std::string cut = joined_warnings(warnings, 300);
  EXPECT_LE(cut.size(), 300u);
  EXPECT_THAT(cut, testing::EndsWith("\n... and 3 more"));
  EXPECT_EQ(joined_warnings(warnings, 50), "... and 5 more");
  EXPECT_EQ(joined_warnings({}, 50), "");
}

TEST(ConfigWarnings, SayThatNoTrialFitsBelowMaxSlots) {
  json config = minimal();
  config["resources"] = {{"slots_per_trial", 4}, {"max_slots", 3}};
  EXPECT_THAT(accepted(config).warnings,
              ElementsAre(HasSubstr("resources.max_slots: 3 is less than the 4 slots of each trial")));
  config["resources"]["max_slots"] = 4;
  EXPECT_THAT(accepted(config).warnings, IsEmpty());
}

TEST(ConfigWarnings, NameAWordOfPropagationThatMeansNothing) {
  std::vector<std::string> warnings;
  add_propagation_warnings(yaml(R"(
checkpoint_storage: {propagation: Bidirectional}
bind_mounts: [{propagation: rslave}, {}, {propagation: "bogus\n"}, {propagation: null}]
)"),
                           warnings);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("bind_mounts[2].propagation: bogus")));
  json config = minimal();
  config["bind_mounts"] = {{{"host_path", "/data"}, {"container_path", "/data"}, {"propagation", "both"}}};
  EXPECT_THAT(accepted(config).warnings, ElementsAre(HasSubstr("bind_mounts[0].propagation: both means nothing")));
}

}  // namespace
}  // namespace det::model
