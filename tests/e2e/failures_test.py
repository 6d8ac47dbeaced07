"""What must not be noticed: the operator killed while a trial trains, PostgreSQL away, and what must be: programs that fail."""

import re
import time
import unittest

from stack import (ROOT, STATE, apply_example, condition_of, example_object, kubectl, run, sql, stack, status_of, trial_of, trial_status,
                   wait_complete, wait_condition, wait_counts, wait_for)


def training_steps(experiment):
    number = wait_for(f"{experiment} has a number", lambda: status_of("experiment", experiment).get("id"))
    return [int(row[0]) for row in sql(
        f"""SELECT m.steps FROM metrics m JOIN visible_series s ON s.id = m.series_id JOIN trials t ON t.id = s.trial_id
            WHERE t.experiment_id = {number} AND s.grp = 'training' AND m.steps <= s.last_steps ORDER BY 1""")]


class Survives(unittest.TestCase):
    def start(self, name, reports, sleep):
        apply_example("core_api", name, reports=reports, sleep=sleep)
        wait_for("reports", lambda: len(training_steps(name)) >= 3)

    def complete(self, name, reports):
        wait_complete(name)
        self.assertEqual(training_steps(name), list(range(1, reports + 1)))
        # The trial went on, it was not started again.
        wait_counts(name, state="COMPLETED", run=1)

    def test_kill_9_of_the_operator(self):
        self.start("killed-operator", 120, 0.1)
        for _ in range(3):
            stack("restart", "operator", "--kill")
            before = len(training_steps("killed-operator"))
            wait_for("more reports", lambda: len(training_steps("killed-operator")) > before or
                     condition_of("experiment", "killed-operator", "Complete") == "True")
        self.complete("killed-operator", 120)

    def test_kill_9_of_the_node_agent(self):
        self.start("killed-agent", 300, 0.1)
        stack("restart", "agent", "--kill")
        self.assertEqual(trial_status("killed-agent").get("state"), "RUNNING")
        self.complete("killed-agent", 300)

    def test_postgresql_away(self):
        self.start("no-database", 300, 0.1)
        script = ROOT / "scripts" / "postgres.sh"
        run(script, "stop", "--dir", STATE / "postgres")
        try:
            self.assertEqual(trial_status("no-database").get("state"), "RUNNING")
            time.sleep(15)  # the outage itself, not a wait for something
        finally:
            run(script, "start", "--dir", STATE / "postgres")
        self.complete("no-database", 300)


class Fails(unittest.TestCase):
    def test_a_non_zero_exit_ends_in_error_with_the_code(self):
        text = example_object("core_api", "broken").replace("entrypoint: python3 train.py", "entrypoint: exit 7")
        kubectl("apply", "-f", "-", stdin=text)
        wait_complete("broken", "Failed")
        self.assertIn("exit code 7", wait_counts("broken", state="ERROR")["message"])
        wait_for("its object tells it", lambda: "exit code 7" in kubectl("describe", "experiment", "broken").out)
        number = status_of("experiment", "broken")["id"]
        self.assertEqual(sql(f"SELECT state FROM experiments WHERE id = {number}"), [["ERROR"]])

    def test_a_program_that_fails_twice_runs_three_times(self):
        text = example_object("core_api", "unlucky").replace("max_restarts: 0", "max_restarts: 2")
        text = text.replace("entrypoint: python3 train.py", "entrypoint: test $DET_TRIAL_RUN_ID -ge 3 && python3 train.py")
        kubectl("apply", "-f", "-", stdin=text)
        wait_complete("unlucky")
        wait_counts("unlucky", state="COMPLETED", run=3, restarts=2, infraRestarts=0)
        self.assertEqual(training_steps("unlucky"), list(range(1, 11)))
        trial = trial_of("unlucky")["metadata"]["name"]
        wait_for("the last restart is told", lambda: "restart 2 of 2" in kubectl("describe", "trial", trial).out)

    def test_a_deleted_pod_runs_again_from_the_checkpoint_without_counting(self):
        # Long enough that it is not through before its pod is deleted.
        apply_example("core_api", "deleted-pod", reports=300, sleep=0.1)
        running = lambda: (status := trial_status("deleted-pod")).get("state") == "RUNNING" and status.get("pods")
        pod = wait_for("a running pod", running)[0]["name"]
        kubectl("delete", "pod", pod, "--timeout=300s")
        wait_complete("deleted-pod")
        wait_counts("deleted-pod", state="COMPLETED", run=2, restarts=0, infraRestarts=1)

    def test_a_missing_config_map_is_said_and_then_found(self):
        text = example_object("core_api", "late-code").replace("core-api-code", "late-code")
        config_map, experiment = re.split(r"^---$", text, flags=re.M)
        kubectl("apply", "-f", "-", stdin=experiment)
        wait_condition("experiment", "late-code", "Accepted", "Unknown")
        wait_for("it is told", lambda: "ConfigMap default/late-code does not exist" in kubectl("describe", "experiment", "late-code").out)
        kubectl("apply", "-f", "-", stdin=config_map)
        wait_complete("late-code")


class Distributed(unittest.TestCase):
    def test_two_pods_over_gloo(self):
        apply_example("distributed_gloo", "gloo")
        wait_complete("gloo")
        self.assertEqual(len(wait_counts("gloo", state="COMPLETED")["pods"]), 2)
        self.assertGreater(len(training_steps("gloo")), 0)


if __name__ == "__main__":
    unittest.main()
