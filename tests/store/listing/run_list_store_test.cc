#include "store/listing/run_list_store.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace det::store {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

struct RunListStoreTest : StoreTest {
  // Runs 1, 2 and 3, of an experiment each: learning rates 0.1, 0.2, 0.3; the third never reported anything.
  RunListStoreTest() {
    for (int i = 1; i <= 3; ++i) {
      NewExperiment made = experiment();
      made.title = "ship " + std::to_string(i);
      made.labels = {"label" + std::to_string(i)};
      made.config["hyperparameters"] = {{"lr", {{"type", "const"}, {"val", i / 10.0}}},
                                        {"width", {{"type", "int"}, {"minval", 10 * i}, {"maxval", 20 * i}}},
                                        {"act", {{"type", "categorical"}, {"vals", {"relu", i}}}}};
      const TrialRow trial = started_trial_of(must(experiments.insert(made)).id, "0" + std::to_string(i));
      sql("UPDATE trials SET hparams = '{\"lr\": 0." + std::to_string(i) + ", \"opt\": {\"name\": \"sgd" +
          std::to_string(i) + "\", \"on\": true}}' WHERE id = " + to_string(trial.id) + " RETURNING 1");
      if (i == 3) continue;
      must(writer.write(validation(trial, 1, 10.0 * i), kPatience));
      must(writer.write(validation(trial, 2, 4.0 * i), kPatience));
      must(writer.write(report(trial, "training", 1, {{"speed", i}}), kPatience));
    }
  }

  std::vector<std::int64_t> ids(ListPlace of, const json& fields, const std::string& sort = "",
                                const std::string& conjunction = "and") {
    json children = json::array();
    for (json one : fields) {
      one["kind"] = "field";
      children.push_back(std::move(one));
    }
    const json filter = {{"filterGroup", {{"kind", "group"}, {"conjunction", conjunction}, {"children", children}}}};
    auto parsed = parse_list_filter(filter.dump());
    EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
    ListSearch search{.of = of, .project = std::nullopt, .filter = std::move(*parsed), .orders = {}, .ids = {}};
    search.default_pool = "default";
    search.orders = parse_list_sort(of, sort).value();
    ListedIds found = must(run_lists.search(std::move(search)));
    EXPECT_EQ(found.total, std::ssize(found.ids));
    return std::move(found.ids);
  }
  std::vector<std::int64_t> runs(const json& fields, const std::string& sort = "") {
    return ids(ListPlace::kRun, fields, sort);
  }
  static json one(const std::string& place, const std::string& column, const std::string& op, json value = nullptr,
                  const std::string& type = "") {
    json made = {{"location", "LOCATION_TYPE_" + place}, {"columnName", column}, {"operator", op}};
    made["value"] = std::move(value);
    if (!type.empty()) made["type"] = "COLUMN_TYPE_" + type;
    return json::array({std::move(made)});
  }

  MetricWriter writer{io.get_executor(), {.url = url}};
};

TEST_F(RunListStoreTest, FiltersByColumnsOfRuns) {
  EXPECT_THAT(runs(json::array()), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN", "id", ">=", 2)), ElementsAre(2, 3));
  EXPECT_THAT(runs(one("RUN", "id", "=", 1.5)), IsEmpty());
  EXPECT_THAT(runs(one("RUN", "experimentName", "contains", "SHIP 2")), ElementsAre(2));
  EXPECT_THAT(runs(one("RUN", "experimentName", "notContains", "2")), ElementsAre(1, 3));
  EXPECT_THAT(runs(one("RUN", "tags", "contains", "label3")), ElementsAre(3));
  EXPECT_THAT(runs(one("RUN", "state", "=", "STATE_RUNNING")), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN", "endTime", "isEmpty")), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN", "startTime", "<", "2020-01-01T00:00:00Z")), IsEmpty());
  EXPECT_THAT(runs(one("RUN", "user", "=", 2)), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN", "resourcePool", "=", "default")), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN", "searcherMetricsVal", "<", 5)), ElementsAre(1));
  EXPECT_THAT(runs(one("RUN", "isExpMultitrial", "=", true)), IsEmpty());
  EXPECT_THAT(runs(one("RUN", "parentArchived", "=", false)), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN", "externalRunId", "isEmpty")), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN", "checkpointCount", ">", 0)), IsEmpty());
  EXPECT_THAT(runs(one("RUN", "localId", "contains", "-3")), ElementsAre(3));
}

TEST_F(RunListStoreTest, FiltersByMetrics) {
  EXPECT_THAT(runs(one("VALIDATIONS", "validation.loss.last", "<", 5)), ElementsAre(1));
  EXPECT_THAT(runs(one("VALIDATIONS", "validation.loss.max", "=", 20)), ElementsAre(2));
  EXPECT_THAT(runs(one("VALIDATIONS", "validation.loss.mean", "=", 7)), ElementsAre(1));
  EXPECT_THAT(runs(one("VALIDATIONS", "validation.loss.min", "isEmpty")), ElementsAre(3));
  EXPECT_THAT(runs(one("TRAINING", "training.speed.last", "notEmpty")), ElementsAre(1, 2));
  EXPECT_THAT(runs(one("CUSTOM_METRIC", "hats.size.last", ">", 0)), IsEmpty());
}

TEST_F(RunListStoreTest, FiltersByHyperparameters) {
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.lr", ">", 0.15, "NUMBER")), ElementsAre(2, 3));
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.opt.name", "contains", "gd2", "TEXT")), ElementsAre(2));
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.opt.name", "notContains", "gd2", "TEXT")), ElementsAre(1, 3));
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.opt.on", "=", true)), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.hat", "isEmpty")), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.lr", "notEmpty")), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("HYPERPARAMETERS", "hp.lr", "=", 0.2, "NUMBER")), ElementsAre(2));
  EXPECT_THAT(runs(one("HYPERPARAMETERS", "hp.width", "contains", 25, "NUMBER")), ElementsAre(2));
  EXPECT_THAT(runs(one("HYPERPARAMETERS", "hp.width", "<", 15, "NUMBER")), ElementsAre(1));
  EXPECT_THAT(runs(one("HYPERPARAMETERS", "hp.act", "contains", "relu", "TEXT")), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("HYPERPARAMETERS", "hp.act", "contains", 3, "NUMBER")), ElementsAre(3));
  EXPECT_THAT(runs(one("HYPERPARAMETERS", "hp.act", "notContains", 3, "NUMBER")), ElementsAre(1, 2));
  EXPECT_THAT(runs(one("HYPERPARAMETERS", "hp.hat", "isEmpty")), ElementsAre(1, 2, 3));
}

TEST_F(RunListStoreTest, FiltersByMetadataInWhoseListsEachElementCounts) {
  must(run_metadata.set(model::TrialId{1}, {{"a", {{"n", 1}, {"s", "sea"}}}, {"list", {"x", "y"}}}));
  must(run_metadata.set(model::TrialId{2}, {{"a", {{"n", 2}, {"b", true}}}, {"at", "2026-02-30T00:00:00Z"}}));
  must(run_metadata.set(model::TrialId{3}, {{"at", "2026-11-21T02:00:00Z"}, {"qu\"ote", 1}}));
  EXPECT_THAT(runs(one("RUN_METADATA", "metadata.a.n", ">", 1, "NUMBER")), ElementsAre(2));
  EXPECT_THAT(runs(one("RUN_METADATA", "metadata.a.s", "contains", "ea", "TEXT")), ElementsAre(1));
  EXPECT_THAT(runs(one("RUN_METADATA", "metadata.a.b", "=", true)), ElementsAre(2));
  EXPECT_THAT(runs(one("RUN_METADATA", "metadata.list", "=", "y", "ARRAY")), ElementsAre(1));
  EXPECT_THAT(runs(one("RUN_METADATA", "metadata.at", ">", "2026-01-01T00:00:00Z", "DATE")), ElementsAre(3));
  EXPECT_THAT(runs(one("RUN_METADATA", "metadata.at", "isEmpty")), ElementsAre(1));
  EXPECT_THAT(runs(one("RUN_METADATA", "metadata.qu\"ote", "notEmpty")), ElementsAre(3));
}

TEST_F(RunListStoreTest, ValuesAreNeverPartOfTheStatement) {
  for (const char* evil : {"' OR true --", "\\', true) --", "$1", "{pool}", "\"}", "%"}) {
    EXPECT_THAT(runs(one("RUN", "experimentName", "=", evil)), IsEmpty());
    EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", std::string("hp.") + evil, "notEmpty")), IsEmpty());
    EXPECT_THAT(runs(one("RUN_METADATA", std::string("metadata.") + evil, "=", evil, "TEXT")), IsEmpty());
    EXPECT_THAT(runs(one("HYPERPARAMETERS", std::string("hp.") + evil, "=", evil, "TEXT")), IsEmpty());
    EXPECT_THAT(runs(one("CUSTOM_METRIC", std::string("g.") + evil + ".last", ">", 1)), IsEmpty());
    EXPECT_THAT(runs(json::array(), std::string("hp.") + "x'||" + "=asc"), ElementsAre(1, 2, 3));
  }
}

TEST_F(RunListStoreTest, SortsWithWhatIsMissingLast) {
  EXPECT_THAT(runs(json::array(), "validation.loss.last=desc"), ElementsAre(2, 1, 3));
  EXPECT_THAT(runs(json::array(), "validation.loss.last=asc,id=desc"), ElementsAre(1, 2, 3));
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.lr", ">", 0.15, "NUMBER"), "training.speed.mean=desc"),
              ElementsAre(2, 3));
  EXPECT_THAT(runs(json::array(), "hp.lr=desc"), ElementsAre(3, 2, 1));
  EXPECT_THAT(runs(json::array(), "searcherMetricsVal=desc,id=asc"), ElementsAre(2, 1, 3));
  EXPECT_THAT(runs(json::array(), "metadata.x=asc,user=asc,id=desc"), ElementsAre(3, 2, 1));
  EXPECT_THAT(ids(ListPlace::kExperiment, json::array(), "validation.loss.min=desc,numTrials=asc"),
              ElementsAre(2, 1, 3));
  EXPECT_THAT(ids(ListPlace::kExperiment, json::array(), "hp.lr=desc,duration=asc"), ElementsAre(3, 2, 1));
}

// To PostgreSQL it is larger than every number: diverged runs stood on top.
TEST_F(RunListStoreTest, SortsWithNotANumberLast) {
  sql("UPDATE trials SET best_metric = 'NaN', best_rank = 'NaN' WHERE id = 2 RETURNING 1");
  for (const char* way : {"asc", "desc"}) {
    const std::string sort = std::string("searcherMetricsVal=") + way + ",id=asc";
    EXPECT_THAT(runs(json::array(), sort), ElementsAre(1, 2, 3)) << way;
    EXPECT_THAT(ids(ListPlace::kExperiment, json::array(), sort), ElementsAre(1, 2, 3)) << way;
  }
  EXPECT_THAT(runs(one("RUN", "searcherMetricsVal", "<", 5)), ElementsAre(1));
}

// Else no list would ever be answered again.
TEST_F(RunListStoreTest, LeavesOutTheSumsOfARunThatTakeTooLong) {
  sql("CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.trial_id = 2 THEN "
      "PERFORM pg_sleep(30); END IF; RETURN NEW; END $$");
  sql("CREATE TRIGGER dawdle BEFORE INSERT ON run_metrics FOR EACH ROW EXECUTE FUNCTION dawdle()");
  pg::Pool impatient({.url = url, .connections = 1, .statement_timeout = std::chrono::milliseconds(500)});
  RunSumStore sums(impatient, metrics, std::chrono::milliseconds(0));
  int tries = 1;
  for (Status done = run(sums.refresh()); !done; done = run(sums.refresh())) {
    EXPECT_EQ(done.error().code, ErrorCode::kUnavailable) << done.error().message;
    ASSERT_LE(++tries, 5);
  }
  EXPECT_GT(tries, 1);
  const auto found = must(sums.find({1, 2, 3}));
  EXPECT_TRUE(found.contains(model::TrialId{1}));
  EXPECT_FALSE(found.contains(model::TrialId{2}));
}

TEST_F(RunListStoreTest, ListsExperimentsByTheirBestRun) {
  const auto experiments_with = [&](const json& fields) { return ids(ListPlace::kExperiment, fields); };
  EXPECT_THAT(experiments_with(one("EXPERIMENT", "name", "contains", "ship")), ElementsAre(1, 2, 3));
  EXPECT_THAT(experiments_with(one("EXPERIMENT", "numTrials", "=", 1)), ElementsAre(1, 2, 3));
  EXPECT_THAT(experiments_with(one("EXPERIMENT", "searcherMetricsVal", ">", 5)), ElementsAre(2));
  EXPECT_THAT(experiments_with(one("VALIDATIONS", "validation.loss.last", "<", 5)), ElementsAre(1));
  EXPECT_THAT(experiments_with(one("RUN_HYPERPARAMETERS", "hp.lr", "=", 0.1, "NUMBER")), ElementsAre(1));
  EXPECT_THAT(experiments_with(one("EXPERIMENT", "progress", "=", 0)), ElementsAre(1, 2, 3));
  EXPECT_THAT(
      ids(ListPlace::kExperiment,
          json::array({one("EXPERIMENT", "id", "=", 1)[0], one("EXPERIMENT", "name", "=", "ship 3")[0]}), "", "or"),
      ElementsAre(1, 3));
}

TEST_F(RunListStoreTest, CountsPagesAsDeterminedDoes) {
  const auto page = [&](std::int64_t offset, std::int64_t limit) {
    ListSearch search;
    search.offset = offset;
    search.limit = limit;
    return must(run_lists.search(std::move(search)));
  };
  EXPECT_THAT(page(1, 1).ids, ElementsAre(2));
  EXPECT_THAT(page(-1, -1).ids, ElementsAre(3));
  EXPECT_THAT(page(0, -2).ids, IsEmpty());
  EXPECT_EQ(page(0, -2).total, 3);
  EXPECT_EQ(page(50, 0).start, 3);
  EXPECT_EQ(page(-50, 0).start, 3);
}

TEST_F(RunListStoreTest, ShowsWhatARunIs) {
  must(run_metadata.set(model::TrialId{1}, {{"k", 1}}));
  const std::vector<std::int64_t> two = {2, 1, 99};
  must(run_lists.search({}));
  const std::vector<RunRow> rows = must(run_lists.runs(two));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].id, model::TrialId{2});
  EXPECT_EQ(rows[1].experiment.name, "ship 1");
  EXPECT_EQ(rows[1].summaries.at("validation").at("loss").sum, 14);
  EXPECT_EQ(rows[1].summaries.at("validation").at("loss").last, 4);
  EXPECT_EQ(rows[1].metadata, (json{{"k", 1}}));
  EXPECT_THAT(rows[1].labels, ElementsAre("label1"));
  EXPECT_EQ(rows[1].searcher_metric_value, 4);
}

// A program that reports its own runs may call a hyperparameter so; a nested one is written the same way.
TEST_F(RunListStoreTest, FindsHyperparametersWhoseNamesHaveDots) {
  sql("UPDATE trials SET hparams = '{\"opt.lr\": 0.5}' WHERE id = 2 RETURNING 1");
  sql("UPDATE trials SET hparams = '{\"opt\": {\"lr\": 0.25}}' WHERE id = 1 RETURNING 1");
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.opt.lr", ">", 0, "NUMBER")), ElementsAre(1, 2));
  EXPECT_THAT(runs(one("RUN_HYPERPARAMETERS", "hp.opt.lr", "isEmpty", nullptr, "NUMBER")), ElementsAre(3));
  EXPECT_THAT(runs(json::array(), "hp.opt.lr=desc"), testing::ElementsAre(2, 1, 3));
}

TEST_F(RunListStoreTest, ComparesWholeNumbersOf64Bits) {
  sql("UPDATE trials SET hparams = '{\"seed\": 1764000000000000123}' WHERE id = 2 RETURNING 1");
  sql("UPDATE trials SET hparams = '{\"seed\": 1764000000000000124}' WHERE id = 1 RETURNING 1");
  const auto seed = [this](const char* op, const json& value) {
    return runs(one("RUN_HYPERPARAMETERS", "hp.seed", op, value, "NUMBER"));
  };
  EXPECT_THAT(seed("=", 1764000000000000123), ElementsAre(2));
  EXPECT_THAT(seed("=", "1764000000000000124"), ElementsAre(1));
  EXPECT_THAT(seed(">", 1764000000000000123), ElementsAre(1));
}

TEST_F(RunListStoreTest, ShowsThatTheExperimentIsPaused) {
  sql("UPDATE experiments SET state = 'PAUSED' WHERE id = 2 RETURNING id");
  EXPECT_THAT(runs(one("RUN", "state", "=", "STATE_PAUSED")), ElementsAre(2));
  EXPECT_THAT(runs(one("RUN", "state", "=", "STATE_RUNNING")), ElementsAre(1, 3));
  EXPECT_EQ(must(run_lists.runs({2})).at(0).state, model::TrialState::kPaused);
  EXPECT_EQ(must(run_lists.runs({1})).at(0).state, model::TrialState::kActive);
}

TEST_F(RunListStoreTest, HidesWhatIsArchivedUnlessAskedFor) {
  must(run_lists.set_archived({1}, true));
  must(experiments.set_archived(model::ExperimentId{2}, true));
  EXPECT_THAT(runs(json::array()), ElementsAre(3));
  EXPECT_THAT(ids(ListPlace::kExperiment, json::array()), ElementsAre(1, 3));
  EXPECT_THAT(must(run_lists.search({})).ids, ElementsAre(1, 2, 3));  // no filter at all
  json measured = one("VALIDATIONS", "validation.loss.last", "<", 100);
  measured.push_back(one("TRAINING", "training.speed.max", "notEmpty")[0]);
  EXPECT_THAT(runs(measured), IsEmpty());
  must(run_lists.set_archived({1}, false));
  EXPECT_THAT(runs(json::array()), ElementsAre(1, 3));
  EXPECT_THAT(runs(measured), ElementsAre(1));
  must(experiments.set_archived(model::ExperimentId{2}, false));
  EXPECT_THAT(runs(measured), ElementsAre(1, 2));
}

TEST_F(RunListStoreTest, SumsOfEndedRunsAreKeptOnceAndOthersFollowTheirReports) {
  must(run_lists.search({}));
  EXPECT_EQ(sql("SELECT count(*) FROM trials WHERE summed_run = run"), "0");
  sql("UPDATE trials SET state = 'COMPLETED', end_time = now() - interval '1 hour' WHERE id = 1 RETURNING 1");
  EXPECT_THAT(runs(one("VALIDATIONS", "validation.loss.last", "<", 5)), ElementsAre(1));
  EXPECT_EQ(sql("SELECT count(*) FROM trials WHERE summed_run = run"), "1");
  must(writer.write(validation(*must(trials.find(model::TrialId{2})), 3, 1.0), kPatience));
  EXPECT_THAT(runs(one("VALIDATIONS", "validation.loss.last", "<", 5)), ElementsAre(1, 2));
  // Continued, it gets another run.
  sql("UPDATE trials SET run = 2 WHERE id = 1 RETURNING 1");
  must(run_lists.search({}));
  EXPECT_EQ(sql("SELECT count(*) FROM trials WHERE summed_run = run"), "1");
}

TEST_F(RunListStoreTest, ARunWhoseSumsAreNoNumbersIsFoundByTheRest) {
  const TrialRow third = *must(trials.find(model::TrialId{3}));
  must(writer.write(report(third, "validation", 1, {{"loss", 1.7e308}}), kPatience));
  must(writer.write(report(third, "validation", 2, {{"loss", 1.7e308}}), kPatience));
  EXPECT_THAT(runs(one("VALIDATIONS", "validation.loss.last", ">", 0)), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace det::store
