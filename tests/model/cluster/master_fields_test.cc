#include "model/cluster/master_fields.h"

#include <gmock/gmock.h>

#include "base/yaml.h"
#include "model/cluster/master_config.h"
#include "tests/model/field_register.h"

namespace det::model {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> warnings_of(const json& yaml) {
  const auto read = read_master_config(yaml);
  EXPECT_TRUE(read) << yaml << " " << (read ? "" : read.error().message);
  return read ? read->warnings() : std::vector<std::string>();
}

std::vector<std::string> warnings_of(const char* text) {
  return warnings_of(parse_yaml(text).value());
}

// The file with nothing but one field, which asks for something.
json with(std::string path) {
  json value = "x";
  if (path.ends_with("_capabilities")) value = json{"SYS_PTRACE"};
  if (path.ends_with(".devices")) value = json{"/dev/a:/dev/b"};
  if (path.ends_with(".slurm")) value = {{"gpu_type", "a"}};
  if (path.ends_with(".pbs")) value = {{"slots_per_node", 4}};
  if (path.find(".save_") != std::string::npos || path.ends_with("_timeout")) value = 7;
  json yaml = json::object();
  if (path.starts_with("checkpoint_storage.")) {
    yaml["checkpoint_storage"] = {{"type", "shared_fs"}, {"host_path", "/tmp"}};
  }
  for (char& c : path) c = c == '.' ? '/' : c;
  yaml[json::json_pointer("/" + path)] = std::move(value);
  return yaml;
}

TEST(FieldRegister, HasEveryFieldOfMasterYamlAndNoOther) {
  std::set<std::string> used;
  std::set<std::string> told;
  for (const std::string_view path : used_master_fields()) used.emplace(path);
  for (const IdleField& field : idle_master_fields()) told.emplace(field.path);
  std::set<std::string> consumed;
  std::set<std::string> warned;
  for (const test::RegisteredField& row : test::registered_fields("master")) {
    (row.consumer == "warning" ? warned : consumed).insert(row.path);
  }
  EXPECT_EQ(consumed, used);
  EXPECT_EQ(warned, told);
}

TEST(MasterWarnings, NameEveryFieldWithoutEffect) {
  for (const IdleField& field : idle_master_fields()) {
    const std::string begin = "\"" + std::string(field.path) + "\" has no effect in this version: ";
    EXPECT_THAT(warnings_of(with(std::string(field.path))), ElementsAre(StartsWith(begin)));
  }
}

TEST(MasterWarnings, AreNotAboutDefaultsAndNotAboutNothing) {
  EXPECT_THAT(warnings_of("{}"), IsEmpty());
  EXPECT_THAT(warnings_of("checkpoint_storage: {type: shared_fs, host_path: /c, save_experiment_best: 0, "
                          "save_trial_best: 1, save_trial_latest: 1}"),
              IsEmpty());
  EXPECT_THAT(warnings_of("{telemetry: {}, saml: null, oidc: {scim_authentication_attribute: userName}, "
                          "task_container_defaults: {startup_hook: '', network_mode: bridge, add_capabilities: []}}"),
              IsEmpty());
}

TEST(MasterWarnings, ReachIntoEverySection) {
  EXPECT_THAT(warnings_of("{resource_manager: {type: kubernetes, kubeconfig_path: /k}, scheduler: {typ: own}, "
                          "zzz: {a: {b: 1}}, security: {tls: {cert: c}}}"),
              ElementsAre("\"resource_manager.kubeconfig_path\" has no effect in this version",
                          "\"scheduler.typ\" has no effect in this version: there is no such field; did you mean "
                          "\"type\"?",
                          "\"security.tls\" has no effect in this version", "\"zzz\" has no effect in this version"));
}

TEST(MasterWarnings, AreAboutPoolsToo) {
  EXPECT_THAT(warnings_of("resource_pools: [{pool_name: a}, {pool_name: b, max_aux_containers_per_agent: 4, "
                          "task_container_defaults: {nccl_port_range: x, image: i, odd: 1, work_dir: /w}, pod_policy: "
                          "{privileged: true}}]"),
              ElementsAre("\"resource_pools[1].max_aux_containers_per_agent\" has no effect in this version",
                          StartsWith("\"resource_pools[1].task_container_defaults.nccl_port_range\" has no effect in "
                                     "this version: "),
                          "\"resource_pools[1].task_container_defaults.odd\" has no effect in this version"));
}

TEST(UnusedMasterFields, HaveLineAndValueAndTheNameThatWasMeant) {
  const std::string text =
      "cluster_name: a\n"
      "resource_manager:\n"
      "  max_slot_per_pod: 4\n"
      "resource_pools:\n"
      "  - pool_name: p\n"
      "    task_container_default: {image: i}\n"
      "    task_container_defaults:\n"
      "      work_dirs: /w\n"
      "security:\n"
      "  inital_user_password: hunter2\n"
      "zzz: 1\n";
  const UnusedFields unused = unused_master_fields(parse_yaml(text).value(), text);
  std::vector<std::string> told;
  for (const UnusedField& field : unused.fields) {
    told.push_back(std::to_string(field.line.value_or(0)) + " " + field.path + " " + field.value + " " + field.meant);
  }
  EXPECT_THAT(told, ElementsAre("3 resource_manager.max_slot_per_pod 4 max_slots_per_pod",
                                "6 resource_pools[0].task_container_default  task_container_defaults",
                                "8 resource_pools[0].task_container_defaults.work_dirs \"/w\" work_dir",
                                "10 security.inital_user_password  initial_user_password", "11 zzz 1 "));
  EXPECT_EQ(unused.fields[0].sentence,
            "\"resource_manager.max_slot_per_pod\" has no effect in this version: there is no such field; did you mean "
            "\"max_slots_per_pod\"?");
}

TEST(UnusedMasterFields, HaveNoLineWhereTheFileDoesNotNameThem) {
  const UnusedFields unused = unused_master_fields({{"scheduler", {{"typ", "own"}}}}, "scheduler: {}\n");
  ASSERT_EQ(unused.fields.size(), 1u);
  EXPECT_EQ(unused.fields[0].line, std::nullopt);
}

TEST(MasterConfig, ErrorsHaveTheirLines) {
  const std::string text = "cluster_name: a\nharness:\n  instal: true\nnotebook_timeout: soon\n";
  const auto read = read_master_config(parse_yaml(text).value(), text);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message,
            "master.yaml.harness: additionalProperties \"instal\" not allowed; did you mean \"install\"? (line 3)\n"
            "master.yaml.notebook_timeout: expected integer or null, but got string (line 4)");
}

TEST(MasterWarnings, KnowTheFolderOfASharedFileSystem) {
  EXPECT_THAT(warnings_of("checkpoint_storage: {type: shared_fs, host_path: /c, container_path: /d}"),
              ElementsAre(HasSubstr("checkpoint_storage.container_path")));
  EXPECT_THAT(warnings_of("checkpoint_storage: {type: directory, container_path: /d}"), IsEmpty());
  EXPECT_THAT(
      warnings_of("checkpoint_storage: {type: s3, access_key: a}"),
      ElementsAre("checkpoint_storage.bucket is missing, for example my-bucket (bucket is a required property): "
                  "experiments that do not write it themselves will be refused"));
}

TEST(MasterWarnings, AreBoundedAndCarryNothingButNames) {
  json yaml = {{"a\x1b[31m\n" + std::string(100'000, 'x'), "secret"}};
  for (int i = 0; i < 1'000; ++i) yaml["field" + std::to_string(i)] = "secret";
  const std::vector<std::string> warnings = warnings_of(yaml);
  EXPECT_EQ(warnings.size(), 101u);
  EXPECT_EQ(warnings.back(), "901 more fields have no effect in this version");
  for (const std::string& warning : warnings) {
    EXPECT_LE(warning.size(), 300u);
    EXPECT_THAT(warning, testing::Not(HasSubstr("secret")));
    for (const char c : warning) EXPECT_TRUE(c >= ' ' && c <= '~');
  }
}

TEST(MasterWarnings, OfAPoolObjectAreItsOwn) {
  const ResourcePool pool =
      read_resource_pool_object({{"metadata", {{"name", "a"}}},
                                 {"spec", {{"taskContainerDefaults", {{"nccl_port_range", "x"}, {"image", "i"}}}}}});
  EXPECT_EQ(pool.objection, "");
  EXPECT_THAT(pool.warnings, ElementsAre(StartsWith("\"taskContainerDefaults.nccl_port_range\" has no effect")));
}

}  // namespace
}  // namespace det::model
