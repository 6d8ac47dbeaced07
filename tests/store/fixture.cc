#include "tests/store/fixture.h"

namespace det::store {

StoreTest::StoreTest()
    : url(test::shared_postgres().create_database(test::store_template())), pool({.url = url, .connections = 2}) {}
StoreTest::~StoreTest() = default;

std::string StoreTest::sql(const std::string& statement) {
  auto connection = pg::RawConnection::open(url, "test");
  DET_CHECK(connection.has_value(), "PostgreSQL answers");
  DET_CHECK(connection->prepare("s", statement).has_value(), "the statement is right");
  const auto result = connection->run_prepared("s", {});
  DET_CHECK(result.has_value(), "the statement works");
  return PQntuples(result->get()) == 0 ? std::string() : pg::field(*result, 0, 0);
}

NewExperiment StoreTest::experiment() {
  return {.nonce = uuid_v4(),
          .uid = {},
          .ns = {},
          .name = {},
          .owner = {2},
          .project = {1},
          .parent = {},
          .state = model::ExperimentState::kActive,
          .config = {{"searcher", {{"metric", "loss"}, {"name", "single"}, {"smaller_is_better", true}}},
                     {"resources", {{"resource_pool", "default"}}}},
          .original_config = "name: const\n",
          .config_hash = "h",
          .title = "const",
          .description = {},
          .labels = {},
          .context = {}};
}

TrialRow StoreTest::started_trial(const std::string& token) {
  return started_trial_of(must(experiments.insert(experiment())).id, token);
}

TrialRow StoreTest::started_trial_of(model::ExperimentId id, const std::string& token) {
  const Epoch epoch = must(cluster.load_or_create()).epoch;
  const TrialRow trial = must(trials.insert(epoch, new_trial(id)));
  must(trials.start_run(epoch, trial.id, new_run(1, token)));
  return *must(trials.find(trial.id));
}

NewTrial StoreTest::new_trial(model::ExperimentId id) {
  return {.experiment = id, .request_id = uuid_v4(), .hparams = {{"lr", 0.1}}, .seed = 7};
}

NewRun StoreTest::new_run(int run, const std::string& token, std::int64_t restore_steps) {
  return {.run = run,
          .slots = 1,
          .token_hash = sha256_hex(token),
          .user_token_hash = sha256_hex("user" + token),
          .plan = {.steps = restore_steps}};
}

MetricReport StoreTest::report(const TrialRow& trial, const std::string& group, std::int32_t steps,
                               const nlohmann::json& metrics) {
  return {.trial = trial.id,
          .run = trial.run,
          .group = group,
          .steps = steps,
          .time = WallTime(std::chrono::seconds(1'700'000'000 + steps)),
          .metrics = split_metrics(metrics, nullptr).value(),
          .input = {}};
}

MetricReport StoreTest::validation(const TrialRow& trial, std::int32_t steps, double loss, bool smaller_is_better) {
  MetricReport made = report(trial, "validation", steps, {{"loss", loss}});
  made.input = SearcherInput{.experiment = trial.experiment,
                             .metric = loss,
                             .smaller_is_better = smaller_is_better,
                             .name = "loss",
                             .event = {{"steps", steps}, {"metric", loss}}};
  return made;
}

}  // namespace det::store
