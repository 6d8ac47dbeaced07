"""One Experiment by kubectl, from apply to Complete, and what a person sees on the way."""

import unittest

from stack import (apply_example, example_object, kubectl, left_of, sql, status_of, trial_status, wait_complete, wait_condition, wait_counts, wait_for)


class ByKubectl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        apply_example("digits_pytorch", "digits")
        wait_complete("digits")
        wait_counts("digits", state="COMPLETED")

    def test_the_status_summarises_it(self):
        def last():
            status = status_of("experiment", "digits")
            return (status.get("state"), status.get("trials", {}).get("summary"), status.get("progress")) == ("COMPLETED", "1/1", "100%") and status
        status = wait_for(lambda: f"the last status: {status_of('experiment', 'digits')}", last)
        self.assertGreater(float(status["bestTrial"]["metric"]), 0.95)
        self.assertEqual(status["observedGeneration"], 1)

    def test_the_database_holds_its_metrics(self):
        number = status_of("experiment", "digits")["id"]
        rows = sql(f"""SELECT s.grp, count(*) FROM metrics m JOIN series s ON s.id = m.series_id JOIN trials t ON t.id = s.trial_id
                       WHERE t.experiment_id = {number} GROUP BY 1 ORDER BY 1""")
        groups = {group: int(count) for group, count in rows}
        self.assertGreaterEqual(groups.get("training", 0), 1)
        self.assertGreaterEqual(groups.get("validation", 0), 1)
        best = sql(f"SELECT best_metric FROM trials WHERE experiment_id = {number}")[0][0]
        self.assertGreater(float(best), 0.95)

    def test_get_shows_columns(self):
        lines = kubectl("get", "experiments,trials,pods").out
        for word in ("STATE", "PROGRESS", "COMPLETED", "100%", "experiment.det-operator.dev/digits", "pod/digits-"):
            self.assertIn(word, lines)

    def test_describe_shows_events_and_no_secret(self):
        for word in ("ConfigAccepted", "SearchCompleted"):
            wait_for(f"the event {word}", lambda: word in kubectl("describe", "experiment", "digits").out)  # noqa: B023
        pod = trial_status("digits")["pods"][0]["name"]
        described = kubectl("describe", "pod", pod).out
        self.assertIn("DET_MASTER", described)
        for word in ("DET_SESSION_TOKEN:", "DET_USER_TOKEN:", "DET_EXPERIMENT_CONFIG:"):
            self.assertNotIn(word, described)

    def test_logs_are_the_trainings_output(self):
        pod = trial_status("digits")["pods"][0]["name"]
        self.assertIn("determined", kubectl("logs", pod).out)

    def test_objects_are_owned_so_that_deletion_leaves_nothing(self):
        apply_example("core_api", "short-lived", sleep=0.5, reports=200)
        wait_for("a running pod", lambda: trial_status("short-lived").get("state") == "RUNNING")
        kubectl("delete", "experiment", "short-lived", "--timeout=300s")
        wait_for("nothing left", lambda: not left_of("short-lived"))
        state = lambda: sql("SELECT state FROM experiments WHERE object_name = 'short-lived' ORDER BY id DESC LIMIT 1")
        wait_for("the row says so", lambda: state() == [["CANCELED"]])


class WrongObjects(unittest.TestCase):
    def refused(self, text):
        answer = kubectl("apply", "-f", "-", stdin=text, check=False)
        self.assertNotEqual(answer.code, 0)
        return answer.err

    def test_an_unknown_field_is_named(self):
        text = example_object("core_api", "wrong").replace("      metric: ", "      metrik: ")
        self.assertIn('unknown field "spec.config.searcher.metrik"', self.refused(text))

    def test_a_wrong_type_is_named(self):
        text = example_object("core_api", "wrong").replace("slots_per_trial: 1\n    max_restarts", "slots_per_trial: many\n    max_restarts")
        self.assertIn("spec.config.resources.slots_per_trial", self.refused(text))

    def test_containers_as_a_map_are_refused_by_a_condition(self):
        text = example_object("core_api", "bad-pod-spec")
        head, tail = text.rsplit("    max_restarts: 0", 1)
        pod_spec = """    environment:
      pod_spec:
        spec:
          containers:
            volumeMounts:
            - {mountPath: /data, name: data}
"""
        kubectl("apply", "-f", "-", stdin=head + pod_spec + "    max_restarts: 0" + tail)
        accepted = wait_condition("experiment", "bad-pod-spec", "Accepted", "False")
        self.assertEqual(accepted["reason"], "InvalidConfig")
        self.assertIn("spec.config.environment.pod_spec.spec.containers: expected array or null, but got object", accepted["message"])
        wait_for("it is told", lambda: "InvalidConfig" in kubectl("describe", "experiment", "bad-pod-spec").out)
        kubectl("delete", "experiment", "bad-pod-spec")

    def test_what_cannot_change_is_refused_with_its_name(self):
        apply_example("core_api", "fixed", sleep=0, reports=3)
        wait_condition("experiment", "fixed", "Accepted", "True")
        self.assertIn("searcher.metric cannot change", self.refused(
            example_object("core_api", "fixed", sleep=0, reports=3).replace("metric: validation_loss", "metric: other")))
        wait_complete("fixed")


if __name__ == "__main__":
    unittest.main()
