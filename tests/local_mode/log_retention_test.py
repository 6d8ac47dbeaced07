"""Logs of tasks go when their time is over, and a line says so: local mode with `retention_policy` of a day that is 0 days long."""

import json
import sys
import unittest

from local import Local
from waiting import wait_for

MASTER = "retention_policy: {log_retention_days: 0, schedule: 2s}\n"
REMOVED = "The log of this task was removed: it had been kept for 0 days after the task ended, as log_retention_days says.\n"


class LogRetention(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        cls.master = cls.local.folder / "master.yaml"
        cls.master.write_text(MASTER)
        cls.local.start("--config", cls.master)

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def log(self, task):
        answer = self.local.rest("GET", f"/api/v1/tasks/{task}/logs", token=self.local.token())
        return "".join(json.loads(line)["result"]["log"] for line in answer.text.splitlines() if line)

    def run_command(self, text):
        made = self.local.rest("POST", "/api/v1/commands", {"config": {"entrypoint": ["sh", "-c", text], "resources": {"slots": 0}}}, self.local.token())
        self.assertEqual(made.status, 200, made)
        return made.json["command"]["id"]

    def test_the_log_of_a_command_that_ended_goes_and_that_of_one_that_runs_stays(self):
        runs = self.run_command("echo still here; sleep 600")
        wait_for(lambda: f"it logs: {self.log(runs)}", lambda: "still here" in self.log(runs))
        ends = self.run_command("echo gone soon")
        wait_for(lambda: f"its log says that it was removed: {self.log(ends)}", lambda: self.log(ends).endswith(REMOVED))
        wait_for(lambda: f"nothing else is left of it: {self.log(ends)}", lambda: self.log(ends) == REMOVED)
        self.assertIn("still here", self.log(runs))
        wait_for("the server says so, too", lambda: "logs were removed, as log_retention_days says" in self.local.log())
        print(self.log(ends), file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
