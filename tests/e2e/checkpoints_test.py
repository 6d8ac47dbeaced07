"""Checkpoints in the life of a trial: starting from another trial's, forking, continuing what is over, and reading them with det."""

import json
import pathlib
import re
import tempfile
import unittest

from stack import ROOT, api, det, sql, status_of, wait_for

EXAMPLE = ROOT / "examples" / "core_api"


def create(*options, **config):
    arguments = [word for key, value in config.items() for word in ("--config", f"{key.replace('__', '.')}={value}")]
    said = det("e", "create", EXAMPLE / "const.yaml", EXAMPLE, *arguments, *options).out
    return int(re.search(r"Created experiment (\d+)", said).group(1))


def state(experiment):
    return sql(f"SELECT state FROM experiments WHERE id = {experiment}")[0][0]


def finished(experiment, wanted="COMPLETED"):
    wait_for(f"experiment {experiment} ends", lambda: state(experiment) in ("COMPLETED", "ERROR", "CANCELED"))
    trial = trial_of(experiment)
    if state(experiment) != wanted:
        raise AssertionError(f"experiment {experiment} is {state(experiment)}:\n{log(trial)}")
    return trial


def trial_of(experiment):
    rows = sql(f"SELECT id FROM trials WHERE experiment_id = {experiment}")
    return int(rows[0][0]) if rows else None


def logged(trial, text):
    """Waits for a line of the trial's log."""
    wait_for(lambda: f"'{text}' in the log of trial {trial}:\n{log(trial)[-3000:]}", lambda: text in log(trial))


def log(trial):
    return det("t", "logs", trial).out


def training_steps(trial):
    return [int(row[0]) for row in sql(
        f"""SELECT m.steps FROM visible_series s JOIN metrics m ON m.series_id = s.id
            WHERE s.trial_id = {trial} AND s.grp = 'training' AND m.steps <= s.last_steps ORDER BY m.steps""")]


def checkpoint_of(trial):
    return sql(f"SELECT uuid FROM checkpoints WHERE trial_id = {trial} ORDER BY steps DESC LIMIT 1")[0][0]


INFERENCE = """
import determined as det
from determined.experimental import client

checkpoint = client.get_checkpoint(det.get_cluster_info().trial.hparams["checkpoint"])
with det.core.init() as core_context:
    core_context.experimental.report_task_using_checkpoint(checkpoint)
    for step, accuracy in ((1, 0.5), (2, 0.75)):
        core_context.train.report_metrics("inference", step, {"accuracy": accuracy})
print([report.metrics["accuracy"] for report in checkpoint.get_metrics("inference")], flush=True)
"""


class Checkpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.experiment = create(hyperparameters__reports=10)
        cls.trial = finished(cls.experiment)
        cls.checkpoint = checkpoint_of(cls.trial)

    def test_a_trial_starts_from_another_trials_checkpoint(self):
        for source in ({"searcher__source_trial_id": self.trial}, {"searcher__source_checkpoint_uuid": self.checkpoint}):
            with self.subTest(source=source):
                trial = finished(create(hyperparameters__reports=13, **source))
                logged(trial, "10 of 13 steps are done")
                self.assertEqual(training_steps(trial), [11, 12, 13])
                described = json.loads(det("t", "describe", trial, "--json").out)
                self.assertEqual(described["trial"]["warmStartCheckpointUuid"] if "trial" in described else
                                 described["warmStartCheckpointUuid"], self.checkpoint)
                self.assertEqual(api("GET", f"/api/v1/trials/{trial}")["trial"]["warmStartCheckpointUuid"], self.checkpoint)

    def test_what_an_inference_reports_counts_for_the_checkpoint(self):
        checkpoint = checkpoint_of(finished(create(hyperparameters__reports=2)))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "infer.py").write_text(INFERENCE)
            (path / "const.yaml").write_text(
                "name: inference\nentrypoint: python3 infer.py\nmax_restarts: 0\nsearcher: {name: single, metric: accuracy}\n"
                f"hyperparameters: {{checkpoint: {checkpoint}}}\n")
            said = det("e", "create", path / "const.yaml", path).out
        trial = finished(int(re.search(r"Created experiment (\d+)", said).group(1)))
        reports = api("GET", f"/api/v1/checkpoints/{checkpoint}/metrics?metricGroup=inference")["metrics"]
        self.assertEqual([(each["trialId"], each["totalBatches"], each["metrics"]["avg_metrics"]) for each in reports],
                         [(trial, 1, {"accuracy": 0.5}), (trial, 2, {"accuracy": 0.75})])
        # What a later reader of the real package sees, the trial's log tells.
        logged(trial, "[0.5, 0.75]")

    def test_a_source_without_a_checkpoint_is_refused_at_once(self):
        refused = det("e", "create", EXAMPLE / "const.yaml", EXAMPLE, "--config", "searcher.source_trial_id=99999", check=False)
        self.assertNotEqual(refused.code, 0)
        self.assertIn("no checkpoint found for source trial 99999", refused.all)

    def test_a_fork_has_its_parents_code(self):
        config = "name: fork\nentrypoint: python3 train.py\nhyperparameters: {reports: 3, sleep: 0}\nmax_restarts: 0\n" \
                 "searcher: {name: single, metric: validation_loss}\n"
        made = api("POST", "/api/v1/experiments", {"config": config, "parentId": self.experiment, "activate": False})["experiment"]
        self.assertEqual((made["forkedFrom"], made["state"]), (self.experiment, "STATE_PAUSED"))
        self.assertEqual(api("GET", f"/api/v1/experiments/{made['id']}/model_def"),
                         api("GET", f"/api/v1/experiments/{self.experiment}/model_def"))
        det("e", "activate", made["id"])
        self.assertEqual(training_steps(finished(made["id"])), [1, 2, 3])

    def test_continue_goes_on_under_the_same_number(self):
        experiment = create(hyperparameters__reports=5)
        trial = finished(experiment)
        det("e", "continue", experiment, "--config", "hyperparameters.reports=9")
        wait_for("it has begun again", lambda: sql(f"SELECT run FROM trials WHERE id = {trial}") == [["2"]])
        self.assertEqual(finished(experiment), trial)
        logged(trial, "5 of 9 steps are done")
        self.assertEqual(training_steps(trial), list(range(1, 10)))
        # Its object said so of the first time, too: the status that counts is of both.
        shown = lambda: status_of("experiment", f"exp-{experiment}")
        wait_for(lambda: f"its object says so: {shown()}", lambda: shown().get("state") == "COMPLETED")

    def test_continue_after_a_cancel_and_not_while_it_runs(self):
        reports = 200
        experiment = create(hyperparameters__reports=reports, hyperparameters__sleep=0.2)
        wait_for("it reports", lambda: trial_of(experiment) and len(training_steps(trial_of(experiment))) > 2)
        api("POST", f"/api/v1/experiments/{experiment}/cancel")  # `det` takes long to start
        trial = finished(experiment, "CANCELED")
        done = max(int(s) for (s,) in sql(f"SELECT steps FROM checkpoints WHERE trial_id = {trial}"))
        det("e", "continue", experiment, "--config", "hyperparameters.sleep=0")
        wait_for("it has begun again", lambda: sql(f"SELECT run FROM trials WHERE id = {trial}") == [["2"]])
        finished(experiment)
        logged(trial, f"{done} of {reports} steps are done")
        self.assertEqual(training_steps(trial), list(range(1, reports + 1)))
        running = create(hyperparameters__reports=2000, hyperparameters__sleep=0.2)
        refused = det("e", "continue", running, check=False)
        self.assertIn("experiment in non terminal state", refused.all)
        det("e", "kill", running)

    def test_det_shows_and_fetches_checkpoints(self):
        self.assertIn(self.checkpoint, det("e", "list-checkpoints", self.experiment).out)
        self.assertIn(self.checkpoint, det("checkpoint", "describe", self.checkpoint).out)
        with tempfile.TemporaryDirectory() as folder:
            det("checkpoint", "download", self.checkpoint, "-o", pathlib.Path(folder) / "c")
            self.assertEqual((pathlib.Path(folder) / "c" / "step").read_text(), "10")
        state = lambda: sql(f"SELECT state FROM checkpoints WHERE uuid = '{self.checkpoint}'")[0][0]
        det("checkpoint", "rm", self.checkpoint, "--glob", "step", "--yes")
        wait_for("a file of it is gone", lambda: state() == "PARTIALLY_DELETED")
        det("checkpoint", "delete", self.checkpoint, "--yes")
        wait_for("all of it is gone", lambda: state() == "DELETED")


if __name__ == "__main__":
    unittest.main()
