"""What must not be noticed: the operator killed while a trial trains, PostgreSQL away, and what must be: programs that fail."""

import re
import time
import unittest

from stack import ROOT, STATE, apply_example, condition_of, example_object, get, kubectl, run, sql, stack, trial_of, wait_for


def training_steps(experiment):
    number = get("experiment", experiment)["status"]["id"]
    return [int(row[0]) for row in sql(
        f"""SELECT m.steps FROM metrics m JOIN visible_series s ON s.id = m.series_id JOIN trials t ON t.id = s.trial_id
            WHERE t.experiment_id = {number} AND s.grp = 'training' AND m.steps <= s.last_steps ORDER BY 1""")]


class Survives(unittest.TestCase):
    def start(self, name, reports, sleep):
        apply_example("core_api", name, reports=reports, sleep=sleep)
        wait_for("reports", lambda: get("experiment", name).get("status", {}).get("id") and len(training_steps(name)) >= 3)

    def complete(self, name, reports):
        kubectl("wait", "--for=condition=Complete", "--timeout=150s", f"experiment/{name}", timeout=160)
        self.assertEqual(training_steps(name), list(range(1, reports + 1)))
        self.assertEqual(trial_of(name)["status"]["run"], 1, "the trial went on, it was not started again")

    def test_kill_9_of_the_operator(self):
        self.start("killed-operator", 60, 0.1)
        for _ in range(3):
            stack("restart", "operator", "--kill")
            before = len(training_steps("killed-operator"))
            wait_for("more reports", lambda: len(training_steps("killed-operator")) > before or
                     condition_of("experiment", "killed-operator", "Complete") == "True")
        self.complete("killed-operator", 60)

    def test_kill_9_of_the_node_agent(self):
        self.start("killed-agent", 60, 0.1)
        stack("restart", "agent", "--kill")
        self.complete("killed-agent", 60)

    def test_postgresql_away(self):
        self.start("no-database", 80, 0.1)
        script = ROOT / "scripts" / "postgres.sh"
        run(script, "stop", "--dir", STATE / "postgres")
        try:
            time.sleep(15)  # the outage itself, not a wait for something
        finally:
            run(script, "start", "--dir", STATE / "postgres")
        self.complete("no-database", 80)


class Fails(unittest.TestCase):
    def test_a_non_zero_exit_ends_in_error_with_the_code(self):
        text = example_object("core_api", "broken").replace("entrypoint: python3 train.py", "entrypoint: exit 7")
        kubectl("apply", "-f", "-", stdin=text)
        kubectl("wait", "--for=condition=Failed", "--timeout=60s", "experiment/broken", timeout=70)
        trial = trial_of("broken")
        self.assertEqual(trial["status"]["state"], "ERROR")
        self.assertIn("exit code 7", trial["status"]["message"])
        self.assertIn("exit code 7", kubectl("describe", "experiment", "broken").out)
        number = get("experiment", "broken")["status"]["id"]
        self.assertEqual(sql(f"SELECT state FROM experiments WHERE id = {number}"), [["ERROR"]])

    def test_a_program_that_fails_twice_runs_three_times(self):
        text = example_object("core_api", "unlucky").replace("max_restarts: 0", "max_restarts: 2")
        text = text.replace("entrypoint: python3 train.py", "entrypoint: test $DET_TRIAL_RUN_ID -ge 3 && python3 train.py")
        kubectl("apply", "-f", "-", stdin=text)
        kubectl("wait", "--for=condition=Complete", "--timeout=90s", "experiment/unlucky", timeout=100)
        status = trial_of("unlucky")["status"]
        self.assertEqual((status["run"], status["restarts"], status["infraRestarts"]), (3, 2, 0))
        self.assertEqual(training_steps("unlucky"), list(range(1, 11)))
        self.assertIn("restart 2 of 2", kubectl("describe", "trial", trial_of("unlucky")["metadata"]["name"]).out)

    def test_a_deleted_pod_runs_again_from_the_checkpoint_without_counting(self):
        apply_example("core_api", "deleted-pod", reports=40, sleep=0.1)
        pod = wait_for("a running pod", lambda: (trial_of("deleted-pod") or {}).get("status", {}).get("state") == "RUNNING"
                       and trial_of("deleted-pod")["status"]["pods"][0]["name"])
        kubectl("delete", "pod", pod, "--timeout=60s", timeout=70)
        kubectl("wait", "--for=condition=Complete", "--timeout=120s", "experiment/deleted-pod", timeout=130)
        status = trial_of("deleted-pod")["status"]
        self.assertEqual((status["run"], status["restarts"], status["infraRestarts"]), (2, 0, 1))

    def test_a_missing_config_map_is_said_and_then_found(self):
        text = example_object("core_api", "late-code").replace("core-api-code", "late-code")
        config_map, experiment = re.split(r"^---$", text, flags=re.M)
        kubectl("apply", "-f", "-", stdin=experiment)
        wait_for("the objection", lambda: condition_of("experiment", "late-code", "Accepted") == "Unknown", 30)
        self.assertIn("ConfigMap default/late-code does not exist", kubectl("describe", "experiment", "late-code").out)
        kubectl("apply", "-f", "-", stdin=config_map)
        kubectl("wait", "--for=condition=Complete", "--timeout=90s", "experiment/late-code", timeout=100)


class Distributed(unittest.TestCase):
    def test_two_pods_over_gloo(self):
        apply_example("distributed_gloo", "gloo")
        kubectl("wait", "--for=condition=Complete", "--timeout=150s", "experiment/gloo", timeout=160)
        self.assertEqual(len(trial_of("gloo")["status"]["pods"]), 2)
        self.assertGreater(len(training_steps("gloo")), 0)


if __name__ == "__main__":
    unittest.main()
