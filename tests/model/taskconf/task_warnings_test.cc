#include "model/taskconf/task_warnings.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/taskconf/task_schema.h"
#include "tests/model/field_register.h"
#include "tests/model/schema_leaves.h"
#include "tests/model/taskconf/accepting_tasks.h"

namespace det::model {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A value that asks for something, of the first of these kinds that is taken.
const std::vector<json> kSamples = {7, true, "5m", "activity", json{"x"}, json{7}, {{"a", 7}}, json{"/dev/a:/dev/b"}};

json with(TaskType type, const std::string& path, const json& value) {
  json config = least(type);
  config[pointer_of(path)] = value;
  return config;
}

std::vector<std::string> warnings_of(TaskType type, const std::string& path) {
  for (const json& sample : kSamples) {
    const auto result = accept_task_config(type, with(type, path, sample), defaults(), kContext);
    if (result) return result->warnings;
  }
  ADD_FAILURE() << path << " takes none of the samples";
  return {};
}

bool has_field(TaskType type, const std::string& path) {
  const std::set<std::string> leaves = leaves_of(task_schema(type));
  return std::ranges::any_of(leaves,
                             [&](const std::string& leaf) { return leaf == path || leaf.starts_with(path + "."); });
}

TEST(FieldRegister, HasEveryFieldOfTheConfigurationOfTasksAndNoOther) {
  std::set<std::string> leaves = leaves_of(kTaskSchema);
  leaves.merge(leaves_of(kGenericTaskSchema));
  EXPECT_EQ(paths_of(registered_fields("task")), leaves);
}

TEST(FieldRegister, HoldsOfTheConfigurationOfTasksWhatItSays) {
  std::set<std::string> warned;
  for (const RegisteredField& row : registered_fields("task")) {
    if (!row.consumer.starts_with("warning")) continue;
    const auto colon = row.consumer.find(':');
    warned.insert(colon == std::string::npos ? row.path : row.consumer.substr(colon + 1));
  }
  std::set<std::string> told;
  for (const IdleTaskField& each : idle_task_fields()) {
    if (each.acts_for.empty()) told.emplace(each.field.path);
  }
  EXPECT_EQ(warned, told);
}

TEST(TaskWarnings, NameEveryFieldWithoutEffectAndNoOther) {
  for (const IdleTaskField& each : idle_task_fields()) {
    const std::string path(each.field.path);
    for (const TaskType type : kTaskTypes) {
      if (!has_field(type, path)) continue;
      if (std::ranges::find(each.acts_for, type) == each.acts_for.end()) {
        EXPECT_THAT(warnings_of(type, path), ElementsAre(StartsWith(path + " has no effect here: ")))
            << task_word(type);
      } else {
        EXPECT_THAT(warnings_of(type, path), IsEmpty()) << task_word(type) << " " << path;
      }
    }
  }
}

TEST(TaskWarnings, AreNotAboutDefaults) {
  for (const TaskType type : kTaskTypes) {
    const AcceptedTaskConfig first = accepted_task(type, least(type));
    EXPECT_THAT(first.warnings, IsEmpty());
    EXPECT_THAT(accepted_task(type, first.document).warnings, IsEmpty()) << "every default stands in there";
    for (const IdleTaskField& each : idle_task_fields()) {
      const std::string path(each.field.path);
      if (each.field.harmless.empty() || path == "entrypoint" || !has_field(type, path)) continue;
      const json config = with(type, path, json::parse(each.field.harmless));
      EXPECT_THAT(accepted_task(type, config).warnings, IsEmpty()) << path;
    }
  }
}

TEST(TaskWarnings, AreNotAboutWhatTheClusterAdds) {
  const json cluster = defaults(yaml("{add_capabilities: [SYS_PTRACE], devices: ['/dev/a:/dev/b'], log_policies: []}"));
  EXPECT_THAT(accepted_task(TaskType::kNotebook, {}, cluster).warnings, IsEmpty());
}

TEST(TaskWarnings, AreAboutTheTemplateWhereItCounts) {
  AcceptContext context = kContext;
  context.template_config = yaml("resources: {weight: 2, agent_label: a}");
  EXPECT_THAT(accepted_task(TaskType::kShell, {}, defaults(), context).warnings,
              ElementsAre(HasSubstr("resources.agent_label"), HasSubstr("resources.weight")));
  EXPECT_THAT(accepted_task(TaskType::kShell, yaml("resources: {weight: 1}"), defaults(), context).warnings,
              ElementsAre(HasSubstr("resources.agent_label")));
}

TEST(TaskWarnings, AreBoundedAndCarryNothingButNames) {
  AcceptContext context = kContext;
  context.template_config = {{"a\x1b[31m\n" + std::string(100'000, 'x'), "secret"}};
  for (int i = 0; i < 1'000; ++i) context.template_config["field" + std::to_string(i)] = "secret";
  const std::vector<std::string> warnings = accepted_task(TaskType::kShell, {}, defaults(), context).warnings;
  EXPECT_EQ(warnings.size(), 21U);
  EXPECT_EQ(warnings.back(), "981 more fields of the template have no effect here.");
  for (const std::string& warning : warnings) {
    EXPECT_LE(warning.size(), 300U);
    EXPECT_THAT(warning, testing::Not(HasSubstr("secret")));
    for (const char c : warning) EXPECT_TRUE(c >= ' ' && c <= '~');
  }
}

}  // namespace
}  // namespace det::model
