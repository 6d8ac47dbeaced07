"""Custom searches: the runners of the real package determined 0.37.0, on this machine and as a trial of the cluster, decide for
several real trials while the operator is killed."""

import pathlib
import re
import subprocess
import tempfile
import unittest

from harness_generations_test import OPERATIONS, create, finished, log, state, trials, visible_steps
from our_det_test import DET_BIN
from stack import CACHE, ENV, run, sql, stack, wait_for

VENV = CACHE / "venv-determined-0.37.0"

# Three trials train to 4; the best one goes on to 8. Its state goes through save and load, as the package wants it.
METHOD = """
import json, pathlib, uuid
from determined import searcher

class Halving(searcher.SearchMethod):
    def __init__(self):
        super().__init__()
        self.results = {}

    def initial_operations(self, state):
        return [searcher.Create(request_id=uuid.uuid4(), hparams={"quality": q, "pause": 0.6}, checkpoint=None) for q in (3.0, 1.0, 2.0)]

    def on_trial_created(self, state, request_id):
        return [searcher.ValidateAfter(request_id=request_id, length=4)]

    def on_validation_completed(self, state, request_id, metric, train_length):
        if train_length == 8:
            return [searcher.Close(request_id)]
        self.results[str(request_id)] = metric
        if len(self.results) < 3:
            return []
        best = min(self.results, key=self.results.get)
        operations = [searcher.Close(uuid.UUID(other)) for other in self.results if other != best]
        return [*operations, searcher.ValidateAfter(uuid.UUID(best), length=8)]

    def on_trial_closed(self, state, request_id):
        return [searcher.Shutdown()] if len(state.trials_closed) == 3 else []

    def on_trial_exited_early(self, state, request_id, exited_reason):
        return [searcher.Shutdown(failure=True)]

    def progress(self, state):
        return len(state.trials_closed) / 3

    def save_method_state(self, path):
        (path / "results").write_text(json.dumps(self.results))

    def load_method_state(self, path):
        self.results = json.loads((path / "results").read_text())

CONFIG = {
    "name": "custom", "entrypoint": "python3 train.py", "max_restarts": 0, "environment": {"image": "determined:0.37.0"},
    "searcher": {"name": "custom", "metric": "validation_loss", "unit": "batches"},
}
"""

LOCAL = METHOD + """
import logging, sys
logging.basicConfig(level=logging.INFO)
searcher.LocalSearchRunner(Halving(), searcher_dir=pathlib.Path("state")).run(CONFIG, model_dir="model")
"""

REMOTE = METHOD + """
import logging
import determined as det
logging.basicConfig(level=logging.INFO)
with det.core.init() as context:
    searcher.RemoteSearchRunner(Halving(), context).run(CONFIG, model_dir="model")
"""


@unittest.skipUnless(VENV.exists(), "not run: scripts/train-env.sh older has not been run")
class CustomSearch(unittest.TestCase):
    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "model").mkdir()
        (path / "model" / "train.py").write_text(OPERATIONS)
        return path

    def custom_of(self, text):
        return int(re.search(r"Created experiment (\d+)", text).group(1))

    def check_search(self, experiment):
        """What the runner above must have made of `experiment`."""
        finished(experiment)
        rows = sql(f"SELECT id, state, seed, hparams->>'quality', work_completed FROM trials WHERE experiment_id = {experiment} ORDER BY id")
        self.assertEqual([row[1:] for row in rows], [["COMPLETED", "42", "3.0", "4"], ["COMPLETED", "42", "1.0", "8"], ["COMPLETED", "42", "2.0", "4"]])
        for row in rows:
            self.assertEqual(visible_steps(int(row[0]), "training"), list(range(1, int(row[4]) + 1)), "no step lost, none twice")
        self.assertEqual(sql(f"SELECT count(*) FROM searcher_inbox WHERE experiment_id = {experiment}"), [["0"]])
        said = run(DET_BIN, "e", "replay", experiment).out
        self.assertIn("decisions equal to the log", said.splitlines()[-1])
        self.assertIn("the search is over", said.splitlines()[-1])

    def test_a_local_runner_decides_while_it_and_the_operator_are_killed(self):
        folder = self.folder()
        (folder / "search.py").write_text(LOCAL)
        said = (folder / "log").read_text
        runner = None

        def keep_running():
            """Whether it has ended well. The package gives up when a POST loses its connection; people then start it again."""
            nonlocal runner
            if runner is not None and runner.poll() not in (None, 0):
                self.assertRegex(said().splitlines()[-1], "MasterNotFoundException|Connection", said())
                runner = None
            if runner is None:
                with open(folder / "log", "a") as out:
                    runner = subprocess.Popen([VENV / "bin" / "python", "search.py"], cwd=folder, env=ENV, stdout=out, stderr=out)
            return runner.poll() == 0

        self.addCleanup(lambda: runner and runner.poll() is None and runner.kill())
        wait_for("it has created its experiment", lambda: keep_running() or "Created experiment" in said())
        experiment = self.custom_of(said())
        # After the second report there is more to come than it takes to look: the third trial's, and the rest of the best one.
        for done in (1, 2):
            reported = f"SELECT count(*) FROM trials WHERE experiment_id = {experiment} AND work_completed >= 4"
            wait_for(f"{done} trials have reported", lambda: keep_running() or int(sql(reported)[0][0]) >= done)
            self.assertEqual(state(experiment), "ACTIVE")
            stack("restart", "operator", "--kill")
        runner.kill()  # itself, between any two of its own steps
        runner.wait()
        runner = None
        wait_for("the runner has ended", keep_running)
        self.check_search(experiment)

    def test_a_remote_runner_is_a_trial_of_the_cluster(self):
        folder = self.folder()
        (folder / "search.py").write_text(REMOTE)
        (folder / "const.yaml").write_text(
            "name: runner\nentrypoint: python3 search.py\nmax_restarts: 0\nenvironment: {image: determined:0.37.0}\n"
            "searcher: {name: single, metric: none, max_length: 1}\n")
        runner = create(folder, "const.yaml")
        (trial,) = wait_for("its trial", lambda: trials(runner))
        wait_for("it has created its experiment", lambda: state(runner) in ("ERROR", "COMPLETED") or "Created experiment" in log(trial))
        self.assertIn("Created experiment", log(trial))
        experiment = self.custom_of(log(trial))
        finished(runner)
        self.check_search(experiment)


if __name__ == "__main__":
    unittest.main()
