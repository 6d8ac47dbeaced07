"""What trials measured, read with the real package: det's SDK as it is, and the bindings that Determined's web page is made of."""

import json
import pathlib
import re
import sys
import unittest

from stack import CACHE, ROOT, api, det, run, sql, wait_for

EXAMPLE = ROOT / "examples" / "core_api"

# Prints one JSON object: what each way to read gives of trial and experiment argv[1] and argv[2].
READER = """
import json, sys, warnings
warnings.simplefilter("ignore")
from determined.common.api import bindings
from determined.experimental import client

trial_id, experiment_id = map(int, sys.argv[1:])
client.login(user="determined", password="")
determined = client._determined
session = determined._session
trial = client.get_trial(trial_id)
rows = lambda reports: [[each.trial_id, each.group, each.steps_completed, each.metrics] for each in reports]
series = bindings.get_CompareTrials(session, trialIds=[trial_id], metricIds=["training.loss", "validation.validation_loss"], maxDatapoints=4)
filtered = bindings.get_CompareTrials(session, trialIds=[trial_id], metricNames=["loss"], group="training", timeSeriesFilter_name="batches",
                                      timeSeriesFilter_integerRange_gt=7)
names = list(bindings.get_ExpMetricNames(session, ids=[experiment_id], periodSeconds=1))
batches = list(bindings.get_MetricBatches(session, experimentId=experiment_id, metricName="loss", group="training"))
snapshot = list(bindings.get_TrialsSnapshot(session, experimentId=experiment_id, metricName="loss", group="training", batchesProcessed=5))
history = bindings.get_GetExperimentValidationHistory(session, experimentId=experiment_id)
print(json.dumps({
    "iter": rows(trial.iter_metrics("training")),
    "validation": rows(trial.iter_metrics("validation")),
    "none": rows(trial.iter_metrics("none")),
    "of trials": rows(client.iter_trials_metrics([trial_id], "training")),
    "stream": rows(trial.stream_metrics("training")),
    "training": rows(trial.stream_training_metrics()),
    "old validation": rows(trial.stream_validation_metrics()),
    "of trials, training": rows(client.stream_trials_training_metrics([trial_id])),
    "of trials, validation": rows(client.stream_trials_validation_metrics([trial_id])),
    "series": [[each.group, [point.batches for point in each.data]] for each in series.trials[0].metrics],
    "filtered": [point.batches for point in filtered.trials[0].metrics[0].data],
    "names": [[each.group, each.name] for each in names[0].metricNames],
    "searcher": list(names[0].searcherMetrics),
    "batches": [step for each in batches for step in each.batches],
    "snapshot": [[each.trialId, each.batchesProcessed] for each in snapshot[0].trials],
    "history": [each.trialId for each in history.validationHistory],
}))
"""


class Reading(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        said = det("e", "create", EXAMPLE / "const.yaml", EXAMPLE, "--config", "hyperparameters.sleep=0").out
        cls.experiment = int(re.search(r"Created experiment (\d+)", said).group(1))
        wait_for(f"experiment {cls.experiment} completes",
                 lambda: sql(f"SELECT state FROM experiments WHERE id = {cls.experiment}")[0][0] == "COMPLETED")
        cls.trial = int(sql(f"SELECT id FROM trials WHERE experiment_id = {cls.experiment}")[0][0])
        python = pathlib.Path(sys.executable).parent / "python"
        cls.read = json.loads(run(python, "-c", READER, cls.trial, cls.experiment).out)

    def test_the_sdk_iterates_over_all_reports(self):
        training = self.read["iter"]
        self.assertEqual([row[:3] for row in training], [[self.trial, "training", step] for step in range(1, 11)])
        self.assertIn("loss", training[0][3])
        for other in ("of trials", "stream"):
            self.assertEqual(self.read[other], training, other)
        self.assertEqual(self.read["none"], [])

    def test_the_older_ways_give_the_same(self):
        numbers = [row[3] for row in self.read["iter"]]
        self.assertEqual([row[3] for row in self.read["training"]], numbers)
        self.assertEqual([row[3] for row in self.read["of trials, training"]], numbers)
        validation = self.read["validation"]
        self.assertEqual([row[2] for row in validation], [10])
        self.assertEqual(self.read["old validation"], validation)
        self.assertEqual(self.read["of trials, validation"], validation)

    def test_curves_are_as_short_as_asked_for(self):
        training, validation = self.read["series"]
        self.assertEqual((training[0], validation), ("training", ["validation", [10]]))
        self.assertEqual((training[1][0], training[1][-1]), (1, 10))
        self.assertLessEqual(len(training[1]), 4)
        self.assertEqual(self.read["filtered"], [8, 9, 10])

    def test_an_experiments_metrics_are_named(self):
        self.assertIn(["training", "loss"], self.read["names"])
        self.assertIn(["validation", "validation_loss"], self.read["names"])
        self.assertEqual(self.read["searcher"], ["validation_loss"])
        self.assertEqual(self.read["batches"], list(range(1, 11)))
        self.assertEqual(self.read["snapshot"], [[self.trial, 5]])
        self.assertEqual(self.read["history"], [self.trial])

    def test_workloads_are_sorted_by_a_metric(self):
        path = f"/api/v1/trials/{self.trial}/workloads?group=training&filter=FILTER_OPTION_UNSPECIFIED&sortKey=loss&orderBy=ORDER_BY_DESC"
        read = lambda path: [row["training"]["metrics"]["avgMetrics"]["loss"] for row in api("GET", path)["workloads"] if "training" in row]
        down, up = read(path), read(path.replace("_DESC", "_ASC"))
        self.assertEqual(down, sorted(down, reverse=True))
        self.assertEqual(len(down), 10)
        self.assertEqual(up, down[::-1])

    @unittest.skipUnless((CACHE / "venv-determined-0.26.7").exists(), "not run: scripts/train-env.sh older has not been run")
    def test_what_the_profiler_of_an_old_harness_posts_is_read(self):
        folder = ROOT / "examples" / "trial_class"
        said = det("e", "create", folder / "const.yaml", folder, "--config", "environment.image=determined:0.26.7", "--config",
                   "profiling.enabled=true").out
        experiment = int(re.search(r"Created experiment (\d+)", said).group(1))
        state = lambda: sql(f"SELECT state FROM experiments WHERE id = {experiment}")[0][0]
        wait_for(f"experiment {experiment} ends", lambda: state() in ("COMPLETED", "ERROR"))
        trial = sql(f"SELECT id FROM trials WHERE experiment_id = {experiment}")[0][0]
        self.assertEqual(state(), "COMPLETED", det("t", "logs", trial).out)
        (series,) = api("GET", f"/api/v1/trials/{trial}/profiler/available_series", lines=True)
        labels = {label["name"]: label for label in series["labels"]}
        self.assertIn("samples_per_second", labels)
        wanted = "&".join(f"labels.{key}={labels['cpu_util_simple'][key]}" for key in ("name", "agentId", "gpuUuid", "metricType"))
        batches = [each["batch"] for each in api("GET", f"/api/v1/trials/{trial}/profiler/metrics?{wanted}", lines=True)]
        self.assertTrue(batches)
        for batch in batches:
            self.assertEqual(len(batch["values"]), len(batch["timestamps"]))


if __name__ == "__main__":
    unittest.main()
