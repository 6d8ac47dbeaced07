#include "local/agent/container_env.h"

#include <gmock/gmock.h>

namespace det::local {
namespace {

using testing::ElementsAre;
using testing::Pair;

EnvVar plain(const std::string& name, const std::string& value) {
  EnvVar env;
  env.name = name;
  env.value = value;
  return env;
}

EnvVar field(const std::string& name, const std::string& path) {
  EnvVar env;
  env.name = name;
  env.field_path = path;
  return env;
}

PodView small_pod() {
  PodView pod;
  pod.ns = "default";
  pod.name = "p";
  pod.uid = "u-1";
  pod.labels = {{"app", "x"}};
  return pod;
}

TEST(ExpandVariables, KnowsReferencesEscapesAndUnknownNames) {
  const Environment env{{"A", "1"}, {"B", "two"}};
  EXPECT_EQ(expand_variables("$(A)-$(B)", env), "1-two");
  EXPECT_EQ(expand_variables("$$(A) $(C) $A $", env), "$(A) $(C) $A $");
  EXPECT_EQ(expand_variables("$(A", env), "$(A");
}

TEST(ExpandVariables, KeepsReferencesThatNothingCloses) {
  const Environment env{{"A", "1"}, {"$(A", "odd"}};
  EXPECT_EQ(expand_variables("$(A)$(A$$$(", env), "1$(A$$(");
  EXPECT_EQ(expand_variables(")$(A", env), ")$(A");
  EXPECT_EQ(expand_variables("$($(A)$(", env), "odd$(");
  EXPECT_EQ(expand_variables("$($(B)$(A)", env), "$($(B)1");
  EXPECT_EQ(expand_variables("$()$", env), "$()$");
  EXPECT_EQ(expand_variables("$$$(A)$$)", env), "$1$)");
}

// Searched to its end for each, this would take minutes.
TEST(ExpandVariables, ReadsALongTextOnce) {
  std::string openings;
  for (int i = 0; i < (1 << 20); ++i) openings += "$(";
  const Environment env{{"A", "1"}};
  EXPECT_TRUE(expand_variables(openings, env) == openings);
  EXPECT_TRUE(expand_variables("$(A)" + openings, env) == "1" + openings);
  EXPECT_TRUE(expand_variables(openings + ")", env) == openings + ")");
}

TEST(ResolveEnv, ReadsTheDownwardApi) {
  ContainerView container;
  container.env = {field("NAME", "metadata.name"), field("NS", "metadata.namespace"),
                   field("UID", "metadata.uid"),   field("LABEL", "metadata.labels['app']"),
                   field("NODE", "spec.nodeName"), field("IP", "status.podIP"),
                   field("HOST", "status.hostIP")};
  const auto env = resolve_env(small_pod(), container, NodeFacts{.name = "n"}, {}, {});
  ASSERT_TRUE(env);
  EXPECT_THAT(*env, ElementsAre(Pair("NAME", "p"), Pair("NS", "default"), Pair("UID", "u-1"), Pair("LABEL", "x"),
                                Pair("NODE", "n"), Pair("IP", "127.0.0.1"), Pair("HOST", "127.0.0.1")));
}

TEST(ResolveEnv, LetsEnvOverrideEnvFromAndExpandWhatStandsBefore) {
  ContainerView container;
  container.env_from = {{"P_", true, "s", false}, {"", false, "absent", true}};
  container.env = {plain("P_user", "root"), plain("URL", "$(P_user):$(P_pass)@$(LATER)"), plain("LATER", "x")};
  EnvObjects objects;
  objects.secrets["s"] = {{"pass", "secret"}, {"user", "me"}};
  const auto env = resolve_env(small_pod(), container, {}, objects, {});
  ASSERT_TRUE(env);
  EXPECT_THAT(*env, ElementsAre(Pair("P_pass", "secret"), Pair("P_user", "root"), Pair("URL", "root:secret@$(LATER)"),
                                Pair("LATER", "x")));
}

TEST(ResolveEnv, NamesTheObjectOrKeyThatIsMissing) {
  ContainerView container;
  EnvVar env = plain("A", "");
  env.secret_key = KeyRef{"s", "k", false};
  container.env = {env};
  EnvObjects objects;
  EXPECT_EQ(resolve_env(small_pod(), container, {}, objects, {}).error().message, "secret \"s\" not found");
  objects.secrets["s"] = {};
  EXPECT_EQ(resolve_env(small_pod(), container, {}, objects, {}).error().message, "couldn't find key k in secret s");
  container.env[0].secret_key->optional = true;
  EXPECT_EQ(resolve_env(small_pod(), container, {}, objects, {}), Environment());
}

TEST(ResolveEnv, RoundsResourcesUpToTheDivisor) {
  ContainerView container;
  container.limits = {1500, std::int64_t{3} << 20};
  EnvVar cpu = plain("CPU", "");
  cpu.resource = "limits.cpu";
  EnvVar memory = plain("MEM", "");
  memory.resource = "limits.memory";
  memory.divisor = "1Mi";
  container.env = {cpu, memory};
  const auto env = resolve_env(small_pod(), container, {}, {}, {});
  ASSERT_TRUE(env);
  EXPECT_THAT(*env, ElementsAre(Pair("CPU", "2"), Pair("MEM", "3")));
}

// Each names the one before many times: the last would have a million times the first.
TEST(ContainerEnv, WhatNoProgramIsStartedWithFillsNoMemory) {
  ContainerView container;
  container.env.push_back({.name = "A", .value = std::string(1000, 'a')});
  for (char name = 'B'; name <= 'F'; ++name) {
    std::string value;
    for (int i = 0; i < 100; ++i) value += "$(" + std::string(1, static_cast<char>(name - 1)) + ")";
    container.env.push_back({.name = std::string(1, name), .value = value});
  }
  const auto refused = resolve_env({}, container, {}, {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "env C has more than 131071 bytes: no program is started with that");
  ContainerView many;
  for (int i = 0; i < 30; ++i)
    many.env.push_back({.name = "V" + std::to_string(i), .value = std::string(100'000, 'v')});
  const auto too_many = resolve_env({}, many, {}, {}, {});
  ASSERT_FALSE(too_many);
  EXPECT_TRUE(too_many.error().message.starts_with("env V20: with it there are more than 2097152 bytes"))
      << too_many.error().message;
}

}  // namespace
}  // namespace det::local
