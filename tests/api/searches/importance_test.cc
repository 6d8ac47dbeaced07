#include <functional>
#include <list>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct HyperparameterImportance : ApiTest {
  static constexpr const char* kSearch =
      "name: search\nentrypoint: python3 train.py\n"
      "searcher: {name: random, metric: loss, max_trials: 100}\n"
      "hyperparameters: {lr: {type: log, base: 10, minval: -4, maxval: 0}, steps: 5,\n"
      "  net: {width: {type: int, minval: 1, maxval: 9}}}\n"
      "checkpoint_storage: {type: shared_fs, host_path: /tmp/ckpt}\n";

  // Trials in that state, whose metric is the decimal logarithm of lr; some of them have none.
  void make(int count, const std::string& state, const std::string& metric = "-4 * f") {
    sql("WITH t AS (SELECT i, (i * 0.6180339887) % 1 AS f FROM generate_series(1, " + std::to_string(count) +
        ") i), tasks AS (INSERT INTO tasks (id, type) SELECT '" + state +
        ".' || i, 'TRIAL' FROM t RETURNING number, id) "
        "INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, best_metric) SELECT " +
        to_string(experiment) + ", gen_random_uuid(), k.number, '" + state +
        "', jsonb_build_object('lr', power(10::float8, -4 * f), 'steps', 5, 'net', jsonb_build_object('width', 1 + i % "
        "9)), 1, " +
        metric + " FROM t JOIN tasks k ON k.id = '" + state + ".' || t.i");
  }
  json importance() {
    const Answer answer = get("/api/v1/experiments/" + to_string(experiment) + "/hyperparameter-importance");
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body();
  }

  model::ExperimentId experiment{create(kSearch)};
};

TEST_F(HyperparameterImportance, IsThatOfTheTrialsThatHaveEnded) {
  make(60, "COMPLETED");
  make(20, "ERROR", "CASE WHEN i > 4 THEN NULL WHEN i > 2 THEN 'NaN'::float8 ELSE -4 * f END");
  make(50, "ACTIVE", "i % 9");
  const json found = importance();
  EXPECT_EQ(found["metric"], "loss");
  EXPECT_EQ(found["trials"], 62);
  EXPECT_EQ(found["trialsEnded"], 62);
  ASSERT_EQ(found["hyperparameters"].size(), 2U) << found;
  EXPECT_EQ(found["hyperparameters"][0]["name"], "lr");
  EXPECT_GT(found["hyperparameters"][0]["importance"], 0.9);
  EXPECT_EQ(found["hyperparameters"][1]["name"], "net.width");
  EXPECT_LT(found["hyperparameters"][1]["importance"], 0.1);
  EXPECT_GT(found["fit"], 0.9);
  EXPECT_FALSE(found.contains("reason"));
  EXPECT_EQ(importance(), found);
}

TEST_F(HyperparameterImportance, SaysWhyThereIsNone) {
  EXPECT_EQ(importance(), (json{{"metric", "loss"},
                                {"trials", 0},
                                {"trialsEnded", 0},
                                {"hyperparameters", json::array()},
                                {"leftOut", 0},
                                {"reason", "0 trials have ended with a metric; it takes 8 to tell anything"}}));
  EXPECT_EQ(get("/api/v1/experiments/77/hyperparameter-importance").status, 404);
}

TEST_F(HyperparameterImportance, LooksAtABoundedNumberOfTrials) {
  make(1'200, "COMPLETED");
  const json found = importance();
  EXPECT_EQ(found["trials"], 1'000);
  EXPECT_EQ(found["trialsEnded"], 1'200);
}

TEST_F(HyperparameterImportance, WaitsItsTurn) {
  make(20, "COMPLETED");
  std::list<Turns::Turn> others;
  const auto hold = [&]() -> Task<void> { others.push_back(co_await importance_turns.wait("user 7")); };
  asio::co_spawn(io, hold(), asio::detached);
  bool has_waited = false;
  std::function<void()> release = [&] {
    if (importance_turns.waiting() == 0) {
      asio::post(io, release);
      return;
    }
    has_waited = true;
    others.clear();
  };
  asio::post(io, release);
  importance();
  EXPECT_TRUE(has_waited);
}

}  // namespace
}  // namespace det::api
