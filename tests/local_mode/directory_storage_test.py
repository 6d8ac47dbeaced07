"""Checkpoints in a folder of the pod's own (`type: directory`): saved, collected by policy, deleted with their
experiment. The files are the pod's; what removes them is a pod with the same mounts."""

import json
import unittest

from local import Local
from waiting import files_below, wait_for

TRAIN = """
import determined as det
from determined import core
with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    for step in range(1, 5):
        context.train.report_validation_metrics(steps_completed=step, metrics={"loss": abs(step - 2)})
        with context.checkpoint.store_path({"steps_completed": step}) as (path, _):
            (path / "sub").mkdir()
            (path / "sub" / "step").write_text(str(step))
"""


class DirectoryStorage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        cls.local.start()
        cls.storage = cls.local.folder / "checkpoints"
        cls.storage.mkdir(mode=0o777)

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def call(self, method, path, body=None):
        answer = self.local.rest(method, path, body, self.local.token())
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def train(self):
        config = {"name": "directory", "entrypoint": ["python3", "-c", TRAIN], "max_restarts": 0,
                  "searcher": {"name": "single", "metric": "loss"}, "resources": {"slots_per_trial": 1},
                  "bind_mounts": [{"host_path": str(self.storage), "container_path": "/kept"}],
                  "checkpoint_storage": {"type": "directory", "container_path": "/kept", "save_experiment_best": 0, "save_trial_best": 1,
                                         "save_trial_latest": 1}}
        number = self.call("POST", "/api/v1/experiments", {"config": json.dumps(config), "activate": True})["experiment"]["id"]
        state = lambda: self.call("GET", f"/api/v1/experiments/{number}")["experiment"]["state"]
        wait_for(lambda: f"it ends: {state()}", lambda: state() in ("STATE_COMPLETED", "STATE_ERROR"))
        self.assertEqual(state(), "STATE_COMPLETED", self.local.log()[-3000:])
        return number

    def steps_in_storage(self):
        return sorted(int(file.read_text()) for file in self.storage.glob("*/sub/step"))

    def test_the_policy_keeps_the_best_and_the_latest_and_deletion_takes_all(self):
        number = self.train()
        wait_for(lambda: f"steps 2 and 4 are left: {self.steps_in_storage()}", lambda: self.steps_in_storage() == [2, 4])
        states = lambda: sorted(one["state"] for one in self.call("GET", f"/api/v1/experiments/{number}/checkpoints")["checkpoints"])
        wait_for(lambda: f"the list says so: {states()}",
                 lambda: states() == ["STATE_COMPLETED", "STATE_COMPLETED", "STATE_DELETED", "STATE_DELETED"])
        self.call("DELETE", f"/api/v1/experiments/{number}")
        files = lambda: files_below(self.storage)
        wait_for(lambda: f"no file is left: {files()}", lambda: not files())
        wait_for("the experiment is gone", lambda: self.local.rest("GET", f"/api/v1/experiments/{number}", None, self.local.token()).status == 404)


if __name__ == "__main__":
    unittest.main()
