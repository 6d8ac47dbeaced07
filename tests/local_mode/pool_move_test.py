"""Experiments that move to another resource pool on det-operator local, by the real det and by kubectl, and across a kill of the server."""

import json
import os
import subprocess
import unittest

from local import CACHE, Local, wait_for

DET = os.environ.get("DET_CLI", str(CACHE / "venv-determined-0.38.1" / "bin" / "det"))
STEPS = 1_000_000  # more than the test waits for
CODE = f"""
import time
import determined as det
from determined import core

info = det.get_cluster_info()
with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    done = 0
    if info.latest_checkpoint:
        with context.checkpoint.restore_path(info.latest_checkpoint) as path:
            done = int((path / "step").read_text())
    for step in range(done + 1, {STEPS} + 1):
        time.sleep(0.05)
        context.train.report_training_metrics(steps_completed=step, metrics={{"loss": 1 / step}})
        if context.preempt.should_preempt():
            with context.checkpoint.store_path({{"steps_completed": step}}) as (path, _):
                (path / "step").write_text(str(step))
            break
"""


class PoolMove(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        cls.master = cls.local.folder / "master.yaml"
        cls.master.write_text("resource_pools: [{pool_name: default}, {pool_name: spare}, {pool_name: theirs}]\n")
        cls.local.start("--config", cls.master)
        cls.addClassCleanup(cls.local.remove)
        cls.addClassCleanup(cls.local.stop)
        code = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "code"}, "data": {"train.py": CODE}}
        cls.local.kubectl("apply", "-f", "-", stdin=json.dumps(code))

    def det(self, *command, fails=False):
        done = subprocess.run([DET, "-m", self.local.url, *map(str, command)], env=self.local.environment(), capture_output=True, text=True, timeout=240)
        self.assertEqual(done.returncode != 0, fails, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def start(self, name):
        config = {"name": name, "entrypoint": "python3 train.py", "searcher": {"name": "single", "metric": "loss"}}
        wanted = {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": name},
                  "spec": {"context": {"configMap": {"name": "code"}}, "config": config}}
        self.local.kubectl("apply", "-f", "-", stdin=json.dumps(wanted))
        self.addCleanup(self.local.kubectl, "patch", "experiment", name, "--type", "merge", "-p", '{"spec": {"stop": "Kill"}}', check=False)
        return wait_for(f"{name} is accepted", lambda: self.status(name).get("id"))

    def status(self, name):
        return self.local.get("experiment", name).get("status", {})

    def trial(self, number):
        """The status of the experiment's one trial."""
        return next((t.get("status", {}) for t in self.local.items("trials") if t["spec"]["experimentID"] == number), {})

    def shown(self, number):
        status = self.trial(number)
        return status.get("run"), status.get("resourcePool"), status.get("state")

    def wait_shown(self, number, *wanted):
        wait_for(lambda: f"experiment {number} is {wanted}, not {self.shown(number)}", lambda: self.shown(number) == wanted)

    def steps(self, number):
        rows = self.local.sql(f"SELECT coalesce(max(m.steps), 0) FROM visible_series s JOIN metrics m ON m.series_id = s.id JOIN trials t "
                              f"ON t.id = s.trial_id WHERE s.grp = 'training' AND t.experiment_id = {number}")
        return int(rows[0][0])

    def test_what_runs_goes_on_there_from_its_checkpoint(self):
        number = self.start("runs")
        self.wait_shown(number, 1, "default", "RUNNING")
        frozen = self.local.sql(f"SELECT config, config_hash FROM experiments WHERE id = {number}")
        wait_for("it has trained", lambda: self.steps(number) > 5)
        self.det("job", "update", number, "--resource-pool", "spare")
        self.wait_shown(number, 2, "spare", "RUNNING")
        self.assertEqual(self.trial(number)["restarts"], 0)
        rows = self.local.sql(f"SELECT a.plan ->> 'resource_pool', a.plan ->> 'checkpoint' <> '' FROM allocations a JOIN trials t ON t.id = a.trial_id "
                              f"WHERE t.experiment_id = {number} ORDER BY a.created_at")
        self.assertEqual(rows, [["", "f"], ["spare", "t"]])
        self.assertEqual(self.local.sql(f"SELECT config, config_hash FROM experiments WHERE id = {number}"), frozen)
        wait_for("its object says so", lambda: self.status("runs").get("resourcePool") == "spare")
        self.assertIn("spare", self.det("experiment", "list", "--csv"))
        usage = lambda: self.local.sql(f"SELECT resource_pool FROM allocation_usage WHERE experiment_id = {number} ORDER BY started_at")
        wait_for("each run is counted where it was", lambda: usage() == [["default"], ["spare"]])

        # Killed between the wish and its effect, the server finds it again.
        digest = self.status("runs").get("configHash")
        self.local.kubectl("patch", "experiment", "runs", "--type", "merge", "-p", '{"spec": {"config": {"resources": {"resource_pool": "default"}}}}')
        self.local.kill()
        self.local.start("--config", self.master)
        wait_for(lambda: f"it is back in its first pool, not {self.shown(number)}",
                 lambda: self.shown(number)[1:] == ("default", "RUNNING") and self.shown(number)[0] > 2)
        self.assertEqual(self.trial(number)["restarts"], 0)
        self.assertEqual(self.status("runs").get("configHash"), digest)

        # Another one waits for the only slot: it moves at once.
        second = self.start("waits")
        self.wait_shown(second, 1, "default", "QUEUED")
        listed = json.loads(self.det("job", "list", "--json"))["jobs"]
        job_id = next(job["jobId"] for job in listed if job["entityId"] == str(second))
        self.det("job", "update-batch", f"{job_id}.resource-pool=spare")
        self.wait_shown(second, 2, "spare", "QUEUED")

    def test_what_may_not_go_there_stays_and_says_why(self):
        number = self.start("stays")
        wait_for("it is shown where it is", lambda: self.shown(number)[1] == "default")
        self.assertIn("invalid resource pool name nowhere", self.det("job", "update", number, "--resource-pool", "nowhere", fails=True))
        self.assertIn("resource pool is unchanged", self.det("job", "update", number, "--resource-pool", "default", fails=True))
        self.local.sql("INSERT INTO workspaces (name, owner_id) VALUES ('vision', 1)")
        self.local.sql("INSERT INTO pool_bindings SELECT 'theirs', id FROM workspaces WHERE name = 'vision'")
        self.assertIn("is not available to workspace ID 1", self.det("job", "update", number, "--resource-pool", "theirs", fails=True))
        self.local.kubectl("patch", "experiment", "stays", "--type", "merge", "-p", '{"spec": {"config": {"resources": {"resource_pool": "theirs"}}}}')
        stalled = lambda: next((c for c in self.status("stays").get("conditions", []) if c["type"] == "Stalled"), {})
        wait_for(lambda: f"it says why it stays: {stalled()}", lambda: stalled().get("status") == "True")
        self.assertIn("is not available to workspace ID 1", stalled()["message"])
        self.assertEqual(self.status("stays").get("resourcePool"), "default")
        self.local.sql("DELETE FROM pool_bindings")
        wait_for("it goes there when it may", lambda: self.shown(number)[1] == "theirs")


if __name__ == "__main__":
    unittest.main()
