"""The real det command line, 0.38.1 from the package index, against our server."""

import json
import pathlib
import re
import tempfile
import unittest

from stack import ROOT, api, det, get, kubectl, sql, status_of, wait_for


class TheRealCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.created = det("experiment", "create", "const.yaml", ".", "-f", cwd=ROOT / "examples" / "core_api", timeout=330)
        cls.number = int(re.search(r"Created experiment (\d+)", cls.created.all).group(1))
        # Its log has ended; what the server and its object say of it comes a moment later.
        wait_for("it is completed", lambda: status_of("experiment", f"exp-{cls.number}").get("state") == "COMPLETED")

    def test_create_follows_the_log_to_its_end(self):
        self.assertEqual(self.created.code, 0)
        self.assertIn("Preparing files", self.created.all)
        self.assertIn("resources exited successfully", self.created.all)
        self.assertNotIn("version", self.created.err, "the CLI warns when the server's version is not its own")

    def test_the_object_is_an_experiment_like_any_other(self):
        experiment = get("experiment", f"exp-{self.number}")
        self.assertEqual(experiment["status"]["id"], self.number)
        self.assertEqual(experiment["spec"]["context"].keys(), {"stored"})

    def test_list_shows_it_completed(self):
        row = [line for line in det("e", "list").out.splitlines() if re.match(rf"\s*{self.number}\b", line)]
        self.assertEqual(len(row), 1)
        self.assertIn("COMPLETED", row[0])

    def test_describe_shows_metrics(self):
        described = det("e", "describe", self.number, "--metrics").out
        self.assertIn("validation_loss", described)
        self.assertIn("COMPLETED", described)

    def test_trial_describe_and_logs(self):
        trial = int(sql(f"SELECT id FROM trials WHERE experiment_id = {self.number}")[0][0])
        self.assertIn("validation_loss", det("trial", "describe", trial, "--metrics").out)
        self.assertIn("determined", det("trial", "logs", trial).out)
        tail = [line for line in det("trial", "logs", trial, "--tail", "2").out.splitlines() if line.startswith("[")]
        self.assertEqual(len(tail), 2)
        self.assertIn("was terminated", tail[1])

    def test_list_trials(self):
        self.assertIn("COMPLETED", det("e", "list-trials", self.number).out)

    def test_user_and_master_commands(self):
        self.assertIn("determined", det("user", "whoami").out)
        self.assertIn("0.38.1", det("master", "info").out)
        self.assertEqual(det("user", "logout").code, 0)
        self.assertIn("determined", det("user", "list").out)

    def test_templates(self):
        template = ROOT / "examples" / "template.yaml"
        self.assertIn("Created template gpu node", det("template", "create", "gpu node", template).out)
        self.addCleanup(lambda: det("template", "remove", "gpu node"))
        self.assertRegex(det("template", "list").out, r"gpu node\s+\| Uncategorized")
        self.assertIn("NCCL_DEBUG=WARN", det("template", "list", "--details").out)
        self.assertIn("max_restarts: 2", det("template", "describe", "gpu node").out)
        self.assertIn("Set template gpu node", det("template", "set", "gpu node", template).out)
        created = det("e", "create", ROOT / "examples" / "core_api" / "const.yaml", "--template", "gpu node", "--paused").all
        number = int(re.search(r"Created experiment (\d+)", created).group(1))
        self.addCleanup(lambda: det("e", "kill", number))
        config = det("e", "config", number).out
        self.assertIn("gpu-node", config)
        self.assertIn("shm_size: 8589934592", config)
        self.assertEqual(get("experiment", f"exp-{number}")["spec"]["template"], "gpu node")

    def test_queue_tasks_and_agents(self):
        number = self.long_one()
        self.addCleanup(lambda: det("e", "kill", number))
        named = lambda: [t for t in json.loads(det("task", "list", "--json").out).values() if f"(Experiment {number})" in t["name"]]
        task = wait_for("its task with a pod on a node", lambda: [t for t in named() if t["resources"] and t["resources"][0]["agentDevices"]])[0]
        wait_for("the log of its program", lambda: "determined" in det("task", "logs", task["taskId"]).out)
        jobs = lambda: [entry for entry in json.loads(det("job", "list", "--json").out)["jobs"] if entry["entityId"] == str(number)]
        (job,) = wait_for(lambda: f"its job has its slot: {jobs()}",
                          lambda: [j for j in jobs() if (j["allocatedSlots"], j["summary"]["state"]) == (1, "STATE_SCHEDULED")])
        self.assertIn(f"({number})", det("job", "list").out)
        det("job", "update", job["jobId"], "--priority", "60")
        priority = lambda: get("experiment", f"exp-{number}")["spec"]["config"]["resources"].get("priority")
        wait_for("its object has the priority", lambda: priority() == 60)
        agents = json.loads(det("agent", "list", "--json").out)
        self.assertIn(task["resources"][0]["agentDevices"].popitem()[0], [agent["id"] for agent in agents])
        slots = json.loads(det("slot", "list", "--json").out)
        self.assertIn(task["allocationId"], [slot["allocation_id"] for slot in slots])

    def test_downloads_a_checkpoint_and_the_model_code(self):
        uuid = sql(f"SELECT c.uuid FROM checkpoints c JOIN trials t ON t.id = c.trial_id WHERE t.experiment_id = {self.number}")[0][0]
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn(uuid, det("checkpoint", "describe", uuid).out)
            det("checkpoint", "download", uuid, "-o", f"{folder}/ckpt")
            self.assertTrue(pathlib.Path(folder, "ckpt", "metadata.json").exists())
            det("e", "download-model-def", self.number, "--output-dir", folder)
            self.assertEqual(len(list(pathlib.Path(folder).glob("*.tgz"))), 1)

    def test_kill_ends_a_running_experiment(self):
        number = self.long_one()
        det("e", "kill", number)
        experiment = lambda: api("GET", f"/api/v1/experiments/{number}")["experiment"]
        wait_for("canceled", lambda: experiment()["state"] == "STATE_CANCELED")
        self.assertLess(experiment()["progress"] or 0, 1, "it was not done; a trial that reported nothing yet has no progress")
        wait_for("no pod runs", lambda: not get("pods", "-l", f"determined.ai/experiment_id={number}",
                                                    "--field-selector", "status.phase=Running")["items"])

    def test_paused_waits_until_activated(self):
        created = det("e", "create", "const.yaml", ".", "--paused", cwd=ROOT / "examples" / "core_api")
        number = int(re.search(r"Created experiment (\d+)", created.all).group(1))
        state = lambda: api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"]
        self.assertEqual(state(), "STATE_PAUSED")
        self.assertTrue(get("experiment", f"exp-{number}")["spec"]["suspend"])
        det("e", "activate", number)
        wait_for("completed", lambda: state() == "STATE_COMPLETED")

    def test_pause_in_the_middle_loses_no_step(self):
        reports = 200
        number = self.long_one(reports=reports, sleep=0.1)
        trial = wait_for("a trial", lambda: sql(f"SELECT id FROM trials WHERE experiment_id = {number}"))[0][0]
        steps = lambda: [int(row[0]) for row in sql(
            f"SELECT m.steps FROM metrics m JOIN visible_series s ON s.id = m.series_id WHERE s.trial_id = {trial} AND s.grp = 'training' AND m.steps <= s.last_steps ORDER BY 1")]
        wait_for("some reports", lambda: len(steps()) >= 5)
        api("POST", f"/api/v1/experiments/{number}/pause")  # `det` takes long to start
        wait_for("its pod gone", lambda: sql(f"SELECT 1 FROM allocations WHERE trial_id = {trial} AND ended_at IS NULL") == [])
        wait_for("paused", lambda: api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"] == "STATE_PAUSED")
        det("e", "activate", number)
        wait_for("completed", lambda: api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"] == "STATE_COMPLETED")
        self.assertEqual(steps(), list(range(1, reports + 1)))
        self.assertEqual(sql(f"SELECT run FROM trials WHERE id = {trial}"), [["2"]])

    def test_a_wrong_config_names_the_field(self):
        answer = det("e", "create", "-", ".", "--config", "resources.slots_per_trial=many", cwd=ROOT / "examples" / "core_api", check=False,
                     stdin=(ROOT / "examples" / "core_api" / "const.yaml").read_text())
        if "No such file" in answer.all:  # this CLI reads configurations from files only
            answer = det("e", "create", "const.yaml", ".", "--config", "resources.slots_per_trial=many", cwd=ROOT / "examples" / "core_api", check=False)
        self.assertEqual(answer.code, 1)
        self.assertIn("resources.slots_per_trial", answer.all)

    def long_one(self, reports=2000, sleep=0.2):
        created = det("e", "create", "const.yaml", ".", "--config", f"hyperparameters.reports={reports}", "--config",
                      f"hyperparameters.sleep={sleep}", cwd=ROOT / "examples" / "core_api")
        number = int(re.search(r"Created experiment (\d+)", created.all).group(1))
        wait_for("a running trial", lambda: api("GET", f"/api/v1/experiments/{number}")["experiment"]["state"] == "STATE_RUNNING")
        return number


if __name__ == "__main__":
    unittest.main()
