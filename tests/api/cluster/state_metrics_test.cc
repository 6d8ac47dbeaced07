// What Prometheus reads: families, samples and how labels are written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/cluster/prometheus_text.h"
#include "tests/api/fixture.h"

namespace det::api {
namespace {

using testing::HasSubstr;
using testing::Not;

struct StateMetrics : ApiTest {
  StateMetrics() : trial(started_trial()), allocation(model::allocation_id(trial.task_id, 1)) {
    must(allocations.note_pods(allocation, model::AllocationState::kPending,
                               {{.rank = 0,
                                 .resources_id = allocation + ".0",
                                 .pod_name = "exp-1-1-1-0",
                                 .node = "n1",
                                 .ip = {},
                                 .slots = 2,
                                 .daemon = false,
                                 .accelerator = {}}}));
  }
  // Without a token, as Prometheus asks where that is allowed.
  std::string scrape() {
    services.settings.master.open_state_metrics = true;
    const std::string kept = std::exchange(token, {});
    const Answer answer = get("/prom/det-state-metrics");
    token = kept;
    EXPECT_EQ(answer.status, 200) << answer.text;
    EXPECT_EQ(answer.headers.find("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    return answer.text;
  }

  store::TrialRow trial;
  std::string allocation;
};

TEST_F(StateMetrics, TakeATokenUnlessTheClusterOpensThem) {
  EXPECT_EQ(get("/prom/det-state-metrics").status, 200);
  token.clear();
  EXPECT_EQ(get("/prom/det-state-metrics").status, 401);
}

TEST_F(StateMetrics, RelatePodsAllocationsTasksJobsAndExperiments) {
  const std::string text = scrape();
  const auto experiment = must(experiments.find(trial.experiment));
  const std::string job = experiment->job_id;
  for (const std::string& line :
       {R"(det_container_id_allocation_id{container_id="exp-1-1-1-0",allocation_id=")" + allocation + "\"} 1\n",
        R"(det_allocation_id_task_id{allocation_id=")" + allocation + R"(",task_id=")" + trial.task_id + "\"} 1\n",
        R"(det_task_id_job_id{task_id=")" + trial.task_id + R"(",job_id=")" + job + "\"} 1\n",
        R"(det_task_id_trial_id{task_id=")" + trial.task_id + R"(",trial_id=")" + to_string(trial.id) + "\"} 1\n",
        R"(det_job_id_experiment_id{job_id=")" + job + R"(",experiment_id=")" + to_string(trial.experiment) +
            "\"} 1\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST_F(StateMetrics, NameGpusOnceTheHarnessReportedThem) {
  EXPECT_THAT(scrape(), Not(HasSubstr("det_gpu_uuid_container_id{")));
  must(allocations.set_accelerator(allocation, "exp-1-1-1-0", {{"acceleratorUuids", {"GPU-1", "GPU-2"}}}));
  const std::string text = scrape();
  EXPECT_THAT(text, HasSubstr("det_gpu_uuid_container_id{gpu_uuid=\"GPU-1\",container_id=\"exp-1-1-1-0\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("det_gpu_uuid_container_id{gpu_uuid=\"GPU-2\",container_id=\"exp-1-1-1-0\"} 1\n"));
}

TEST_F(StateMetrics, AreNotUpsetByWhatAHarnessMayReport) {
  for (const json& odd : {json(7), json{{"acceleratorUuids", "GPU-1"}}, json{{"accelerators", {1, nullptr}}}}) {
    must(allocations.set_accelerator(allocation, "exp-1-1-1-0", odd));
    EXPECT_THAT(scrape(), Not(HasSubstr("det_gpu_uuid_container_id{"))) << odd;
  }
}

TEST_F(StateMetrics, HaveAnExperimentAndItsLabelsOnce) {
  const std::string path = "/api/v1/experiments/" + to_string(trial.experiment);
  EXPECT_EQ(call("PATCH", path, R"({"labels":["nightly","say \"hi\""]})").status, 200);
  const std::string text = scrape();
  EXPECT_THAT(text, HasSubstr("det_experiment_id_label{experiment_id=\"1\",label=\"nightly\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("label=\"say \\\"hi\\\"\"} 1\n"));
}

TEST_F(StateMetrics, ForgetAnAllocationThatEnded) {
  must(allocations.end(allocation, "done", 0));
  EXPECT_THAT(scrape(), Not(HasSubstr(allocation)));
}

TEST(PrometheusText, EscapesWhatLabelsContain) {
  PrometheusText text;
  text.family("a", "gauge", "Help.");
  text.sample({{"x", "1\n\"2\\"}, {"y", ""}}, "3");
  text.single("b", "counter", "More.", "4");
  EXPECT_EQ(std::move(text).response().body,
            "# HELP a Help.\n# TYPE a gauge\na{x=\"1\\n\\\"2\\\\\",y=\"\"} 3\n# HELP b More.\n# TYPE b counter\nb 4\n");
}

}  // namespace
}  // namespace det::api
