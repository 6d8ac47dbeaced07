#include "model/expconf/explain_errors.h"

#include <gmock/gmock.h>

#include "base/yaml_lines.h"
#include "model/taskconf/accept_task_config.h"
#include "tests/model/expconf/accepting.h"

namespace det::model {
namespace {

using test::defaults;
using test::kContext;
using test::refused;
using test::yaml;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kGood = "entrypoint: python3 train.py\nsearcher: {name: single, metric: loss}\n";

std::string refused_with(const std::string& more) {
  return refused(yaml(kGood + more));
}

TEST(ExplainErrors, NamesAnUnknownSearcherAndThoseThatThereAre) {
  EXPECT_EQ(refused(yaml("{entrypoint: e, searcher: {name: bayesian, metric: loss}}")),
            "<config>.searcher.name: searcher.name 'bayesian' is unknown; use single, random, grid, async_halving, "
            "adaptive_asha or custom (is not an object where object[\"name\"] is one of 'single', 'random', 'grid', "
            "'custom', or 'adaptive_asha')");
  EXPECT_THAT(refused(yaml("{entrypoint: e, searcher: {name: adaptive-asha, metric: loss}}")),
              HasSubstr("'adaptive-asha' is unknown, did you mean 'adaptive_asha'?; use "));
  EXPECT_THAT(refused(yaml("{entrypoint: e, searcher: {name: 5, metric: loss}}")),
              HasSubstr("name 5 is unknown; use "));
  EXPECT_THAT(refused(yaml("{entrypoint: e, searcher: {metric: loss}}")),
              HasSubstr("<config>.searcher: searcher.name is missing; use single, "));
}

TEST(ExplainErrors, SaysWhatCouldStandWhereSomethingIsMissing) {
  EXPECT_EQ(refused(yaml("searcher: {name: random}")),
            "<config>.entrypoint: entrypoint is missing, for example python3 train.py (managed experiments require "
            "entrypoint)\n"
            "<config>.searcher: searcher.max_trials is missing, for example 16 (max_trials is a required property)\n"
            "<config>.searcher: searcher.metric is missing, for example validation_loss (metric is a required "
            "property)");
  EXPECT_EQ(refused_with("bind_mounts: [{host_path: /a}]"),
            "<config>.bind_mounts[0]: missing properties: \"container_path\"; for example container_path: /data");
}

TEST(ExplainErrors, TellsAMissingEntrypointWithEverythingElse) {
  EXPECT_THAT(refused(yaml("{searcher: {name: single, metric: loss}, max_restart: 1}")),
              testing::AllOf(HasSubstr("<config>.entrypoint: entrypoint is missing"), HasSubstr("max_restarts")));
}

TEST(ExplainErrors, NamesTheFieldThatWasMeant) {
  EXPECT_EQ(
      refused_with("resources: {slots_per_trail: 4, slot: 2, gpus: 1}"),
      "<config>.resources: additionalProperties \"gpus\" not allowed; did you mean \"slots_per_trial\"?\n"
      "<config>.resources: additionalProperties \"slot\" not allowed; known here: devices, is_single_node, max_slots, "
      "native_parallel, priority, resource_pool, shm_size, slots_per_trial, weight\n"
      "<config>.resources: additionalProperties \"slots_per_trail\" not allowed; did you mean "
      "\"slots_per_trial\"?");
  EXPECT_EQ(refused_with("resources: {slots: 4}"),
            "<config>.resources: additionalProperties \"slots\" not allowed; did you mean \"slots_per_trial\"?");
  EXPECT_EQ(refused_with("slots_per_trial: 4"),
            "<config>: additionalProperties \"slots_per_trial\" not allowed; did you mean "
            "\"resources.slots_per_trial\"?");
  EXPECT_EQ(refused_with("gpus: 4"),
            "<config>: additionalProperties \"gpus\" not allowed; did you mean \"resources.slots_per_trial\"?");
  EXPECT_EQ(refused_with("hyperparameters: {lr: {type: double, min_val: 0, maxval: 1}}"),
            "<config>.hyperparameters.lr: additionalProperties \"min_val\" not allowed; did you mean \"minval\"?\n"
            "<config>.hyperparameters.lr: missing properties: \"minval\"; for example minval: 0");
  EXPECT_EQ(
      refused(yaml("{entrypoint: e, searcher: {name: single, metric: loss, max_trials: 4, max_restarts: 1}}")),
      "<config>.searcher: additionalProperties \"max_restarts\" not allowed; it belongs to the top level, not into "
      "searcher\n"
      "<config>.searcher: additionalProperties \"max_trials\" not allowed; it is for name random, "
      "async_halving or adaptive_asha, and this is \"single\"");
  EXPECT_THAT(refused_with("profiling: {zz: 1}"), HasSubstr("\"zz\" not allowed; known here: "));
}

TEST(ExplainErrors, ShowsTheValueAndACure) {
  EXPECT_EQ(refused_with("resources: {slots_per_trial: '4', shm_size: four, is_single_node: 'true', priority: 100}"),
            "<config>.resources.is_single_node: expected boolean or null, but got string (it is \"true\"); write true "
            "without quotation marks\n"
            "<config>.resources.priority: must be <= 99 but found 100\n"
            "<config>.resources.shm_size: must be a valid memory size (it is \"four\"); for example 4G or 512MiB\n"
            "<config>.resources.slots_per_trial: expected integer or null, but got string (it is \"4\"); write 4 "
            "without quotation marks");
  EXPECT_EQ(refused_with("checkpoint_policy: bset"),
            "<config>.checkpoint_policy: value must be one of <nil>, \"best\", \"all\", \"none\" (it is \"bset\"); did "
            "you mean \"best\"?");
}

TEST(ExplainErrors, ShowsNoSecret) {
  const std::string text = refused_with(
      "checkpoint_storage: {type: s3, bucket: b, access_key: 12345, secret_key: 12345}\n"
      "environment: {environment_variables: [12345], registry_auth: {password: 12345}}");
  EXPECT_THAT(text, Not(HasSubstr("12345")));
  EXPECT_THAT(text, HasSubstr("access_key"));
}

TEST(ExplainErrors, SaysWhatWouldWorkForEachType) {
  EXPECT_EQ(refused_with("resources: {slots_per_trial: 0.5}"),
            "<config>.resources.slots_per_trial: expected integer or null, but got number (it is 0.5); write a whole "
            "number");
  EXPECT_EQ(refused_with("debug: 'yes'"),
            "<config>.debug: expected boolean or null, but got string (it is \"yes\"); write true or false");
  EXPECT_EQ(refused_with("name: 5"),
            "<config>.name: expected string or null, but got number (it is 5); write it in quotation marks");
  EXPECT_THAT(refused_with("name: off"), HasSubstr("in quotation marks: YAML reads words such as yes, no, on, off"));
  EXPECT_EQ(refused_with("labels: nightly"),
            "<config>.labels: expected array or null, but got string (it is \"nightly\"); write a list: [\"nightly\"]");
  EXPECT_THAT(refused_with("resources: 4"), HasSubstr("; write keys and values, as in name: value"));
}

TEST(ExplainErrors, SaysWhatWouldWorkForHyperparameters) {
  const auto of_parameter = [](const std::string& text) { return refused_with("hyperparameters: {lr: " + text + "}"); };
  EXPECT_EQ(of_parameter("{type: double, minval: 1, maxval: 0}"),
            "<config>.hyperparameters.lr: minval must be less than maxval (minval is 1, maxval is 0)");
  EXPECT_THAT(of_parameter("{type: uniform, minval: 0, maxval: 1}"),
              HasSubstr("(it is \"uniform\"); the word for it is \"double\""));
  EXPECT_THAT(of_parameter("{type: log, minval: -3, maxval: 0}"), HasSubstr("\"base\"; for example base: 10"));
  EXPECT_THAT(of_parameter("{type: categorical, vals: []}"), HasSubstr("choose from; for example [relu, tanh]"));
}

TEST(ExplainErrors, NamesOneFaultOfASearchThatIsGone) {
  EXPECT_EQ(refused(yaml("{entrypoint: e, searcher: {name: sync_halving, metric: loss}}")),
            "<config>.searcher.name: the 'sync_halving' searcher has been removed and is not valid for new "
            "experiments: write `async_halving` with `num_rungs`, `max_trials`, `max_time` and `time_metric`");
}

TEST(ExplainErrors, EachUnknownKeyHasItsLine) {
  const std::string text = std::string(kGood) + "resources:\n  slots_per_trial: 1\n  priorty: 5\n  pool: a\nzz: 1\n";
  auto result = accept_config(yaml(text), defaults(), kContext);
  ASSERT_FALSE(result);
  add_lines(result.error(), text);
  EXPECT_EQ(join_errors(result.error()),
            "<config>.resources: additionalProperties \"pool\" not allowed; did you mean \"resource_pool\"? (line 6)\n"
            "<config>.resources: additionalProperties \"priorty\" not allowed; did you mean \"priority\"? (line 5)\n"
            "<config>: additionalProperties \"zz\" not allowed (line 7)");
}

TEST(ExplainErrors, IsBounded) {
  std::string text = kGood;
  for (int i = 0; i < 20'000; ++i) text += "slots_per_trail" + std::to_string(i) + ": 1\n";
  auto result = accept_config(yaml(text), defaults(), kContext);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().size(), 1u);
}

TEST(ExplainErrors, KnowsTheWordsOfTasks) {
  const auto result = accept_task_config(TaskType::kNotebook, yaml("{resources: {slots_per_trial: 4}, enviroment: {}}"),
                                         defaults(), kContext);
  ASSERT_FALSE(result);
  EXPECT_EQ(join_errors(result.error()),
            "<config>.resources: json: unknown field \"slots_per_trial\"; did you mean \"slots\"?\n"
            "<config>: json: unknown field \"enviroment\"; did you mean \"environment\"?");
}

}  // namespace
}  // namespace det::model
