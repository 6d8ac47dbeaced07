"""The det command line of 0.26.7, unmodified, against our server: the commands whose requests differ from 0.38.1's, and the daily ones."""

import json
import re
import unittest

from stack import CACHE, ROOT, get, run, sql, wait_for

PROGRAM = CACHE / "venv-determined-0.26.7" / "bin" / "det"


def det(*args, **options):
    return run(PROGRAM, *args, **options)


@unittest.skipUnless(PROGRAM.exists(), "not run: scripts/train-env.sh older has not been run")
class TheCliOf0_26_7(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.created = det("experiment", "create", "const.yaml", ".", "-f", cwd=ROOT / "examples" / "core_api", timeout=330)
        cls.number = int(re.search(r"Created experiment (\d+)", cls.created.all).group(1))
        # Its log has ended; what the server says of it comes a moment later.
        wait_for("it is completed", lambda: sql(f"SELECT state FROM experiments WHERE id = {cls.number}") == [["COMPLETED"]])
        cls.trial = int(sql(f"SELECT id FROM trials WHERE experiment_id = {cls.number}")[0][0])

    def test_create_follows_the_log_to_its_end(self):
        self.assertIn("resources exited successfully", self.created.all)

    def test_experiments_and_trials_are_shown(self):
        row = [line for line in det("e", "list").out.splitlines() if re.match(rf"\s*{self.number}\b", line)]
        self.assertEqual(len(row), 1)
        self.assertIn("COMPLETED", row[0])
        self.assertIn("validation_loss", det("e", "describe", self.number, "--metrics").out)
        self.assertIn("COMPLETED", det("e", "list-trials", self.number).out)
        self.assertIn("validation_loss", det("trial", "describe", self.trial, "--metrics").out)
        self.assertIn("COMPLETED", det("e", "list-checkpoints", self.number).out)
        self.assertIn("was terminated", det("trial", "logs", self.trial, "--tail", "2").out)

    def test_user_master_and_template_commands(self):
        self.assertIn("determined", det("user", "whoami").out)
        self.assertIn("0.38.1", det("master", "info").out)
        self.assertIn("determined", det("user", "list").out)
        template = ROOT / "examples" / "template.yaml"
        det("template", "set", "of-26", template)
        self.addCleanup(lambda: det("template", "remove", "of-26"))
        self.assertIn("of-26", det("template", "list").out)
        self.assertIn("max_restarts: 2", det("template", "describe", "of-26").out)

    def test_queue_tasks_and_agents_of_a_running_experiment(self):
        created = det("e", "create", "const.yaml", ".", "--config", "hyperparameters.reports=2000", "--config",
                      "hyperparameters.sleep=0.2", cwd=ROOT / "examples" / "core_api")
        number = int(re.search(r"Created experiment (\d+)", created.all).group(1))
        self.addCleanup(lambda: det("e", "kill", number))
        named = lambda: [t for t in json.loads(det("task", "list", "--json").out).values() if f"(Experiment {number})" in t["name"]]
        task = wait_for("its task with a pod on a node", lambda: [t for t in named() if t["resources"] and t["resources"][0]["agentDevices"]])[0]
        self.assertIn(f"({number})", det("job", "list").out)
        job = sql(f"SELECT job_id FROM experiments WHERE id = {number}")[0][0]
        det("job", "update", job, "--priority", "61")
        priority = lambda: get("experiment", f"exp-{number}")["spec"]["config"]["resources"].get("priority")
        wait_for("its object has the priority", lambda: priority() == 61)
        self.assertIn(list(task["resources"][0]["agentDevices"])[0], det("agent", "list").out)
        self.assertIn(task["allocationId"], det("slot", "list").out)


if __name__ == "__main__":
    unittest.main()
