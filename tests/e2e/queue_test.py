"""The order of the queue, who used what, and the master's log level, by the real det."""

import csv
import datetime
import io
import json
import re
import unittest

from stack import ROOT, api, as_admin, det, sql, wait_for

CORE_API = ROOT / "examples" / "core_api"


class Queue(unittest.TestCase):
    def create(self):
        made = det("e", "create", "const.yaml", ".", "--config", "hyperparameters.reports=2000", "--config", "hyperparameters.sleep=0.2",
                   cwd=CORE_API)
        number = int(re.search(r"Created experiment (\d+)", made.all).group(1))
        self.addCleanup(det, "e", "kill", number)
        return number

    def state(self, number):
        return api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"]

    def wait_state(self, number, state):
        wait_for(lambda: f"experiment {number} is {state}, not {self.state(number)}", lambda: self.state(number) == f"STATE_{state}")

    def order(self, numbers):
        return [int(job["entityId"]) for job in json.loads(det("job", "list", "--json").out)["jobs"] if job["entityId"] in map(str, numbers)]

    def test_who_is_put_ahead_starts_first(self):
        holders = [self.create() for _ in range(2)]  # of all slots that there are
        for holder in holders:
            self.wait_state(holder, "RUNNING")
        second, third = (self.create() for _ in range(2))
        wait_for("both wait", lambda: self.order([second, third]) == [second, third])
        header = det("job", "list").out.splitlines()[0]
        self.assertIn("Priority", header)
        job = {int(job["entityId"]): job["jobId"] for job in json.loads(det("job", "list", "--json").out)["jobs"]}
        api("POST", "/api/v1/job-queues", {"updates": [{"jobId": job[third], "aheadOf": job[second]}]})
        self.assertEqual(self.order([second, third]), [third, second])
        det("e", "kill", holders[0])
        self.wait_state(third, "RUNNING")
        self.assertEqual(self.state(second), "STATE_QUEUED")
        det("job", "update-batch", f"{job[second]}.priority=60", f"{job[third]}.priority=40")
        self.assertEqual(self.order([second, third]), [second, third])


class Usage(unittest.TestCase):
    def test_what_ran_is_counted_and_outlives_its_experiment(self):
        made = det("e", "create", "const.yaml", ".", cwd=CORE_API)
        number = int(re.search(r"Created experiment (\d+)", made.all).group(1))
        wait_for("completed", lambda: api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"] == "STATE_COMPLETED")
        ended = lambda: sql(f"SELECT 1 FROM allocation_usage WHERE experiment_id = {number} AND ended_at IS NOT NULL")
        wait_for("its run has ended", ended)
        now = datetime.datetime.now(datetime.timezone.utc)
        times = [(now + datetime.timedelta(hours=hours)).strftime("%Y-%m-%dT%H:%M:%SZ") for hours in (-1, 1)]
        day = now.strftime("%Y-%m-%d")
        of_it = lambda text: [row for row in csv.DictReader(io.StringIO(text)) if row["experiment_id"] == str(number)]
        (row,) = of_it(det("resources", "allocations", *times).out)
        self.assertEqual((row["task_type"], row["username"], row["workspace_name"], row["slots"], row["resource_pool"]),
                         ("TRIAL", "determined", "Uncategorized", "1", "default"))
        self.assertGreater(float(row["slot_hours"]), 0)
        (raw,) = of_it(det("resources", "raw", *times).out)
        self.assertGreater(float(raw["seconds"]), 0)
        self.assertIn(number, [entry["experimentId"] for entry in json.loads(det("resources", "raw", "--json", *times).out)["resourceEntries"]])
        yesterday = (now - datetime.timedelta(days=1)).strftime("%Y-%m-%d")
        self.assertRegex(det("resources", "aggregated", yesterday, day).out, r"username,determined,\d{4}-\d\d-\d\d,\d+\.\d{6}")
        monthly = json.loads(det("resources", "aggregated", "--monthly", "--json", day[:7], day[:7]).out)["resourceEntries"]
        self.assertGreater(monthly[0]["byResourcePool"]["default"], 0)
        det("e", "delete", number, "--yes")
        wait_for("it is gone", lambda: sql(f"SELECT 1 FROM experiments WHERE id = {number}") == [])
        self.assertEqual(len(of_it(det("resources", "allocations", *times).out)), 1)


class Master(unittest.TestCase):
    def test_the_log_level_changes_while_it_runs(self):
        self.addCleanup(as_admin, "master", "config", "set", "--log.level", "INFO")
        self.assertIn("Successfully made changes", as_admin("master", "config", "set", "--log.level", "DEBUG").out)
        wait_for("it says so", lambda: "log level changed level=debug" in as_admin("master", "logs").out)
        self.assertIn("no colors", as_admin("master", "config", "set", "--log.color", "on", check=False).all)

    def test_bindings_are_refused_in_words(self):
        self.assertIn("cannot be bound to any workspace", as_admin("rp", "bindings", "add", "default", "Uncategorized", check=False).all)
        self.assertIn("default", det("w", "bindings", "list", "Uncategorized").out)


if __name__ == "__main__":
    unittest.main()
