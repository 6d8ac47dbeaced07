"""Searches with several trials: random within its limit of trials at a time, and adaptive_asha that stops the worse ones."""

import json
import re
import unittest

from stack import example_object, get, kubectl, sql, wait_for


def searching(example, name, searcher, **hyperparameters):
    """The example's objects with another searcher and with hyperparameters to search (YAML texts)."""
    text = example_object(example, name)
    head, tail = text.rsplit("kind: Experiment", 1)
    indent = re.search(r"^( +)name: single$", tail, re.M).group(1)
    tail = tail.replace(f"{indent}name: single\n", "".join(f"{indent}{line}\n" for line in searcher))
    for key, value in hyperparameters.items():
        tail, changed = re.subn(rf"^(\s+{key}): .*$", rf"\g<1>: {value}", tail, count=1, flags=re.M)
        assert changed == 1, f"{example} has no hyperparameter {key}"
    return head + "kind: Experiment" + tail


def trials_of(name):
    return json.loads(kubectl("get", "trials", "-l", f"det-operator.dev/experiment={name}", "-o", "json").out)["items"]


class Searches(unittest.TestCase):
    def test_random_tries_what_it_may_and_no_more_at_a_time(self):
        kubectl("apply", "-f", "-", stdin=searching(
            "core_api", "random-search", ["name: random", "max_trials: 5", "max_concurrent_trials: 2"],
            sleep="{type: double, minval: 0.01, maxval: 0.1}"))
        most = 0

        def done():
            nonlocal most
            alive = [t for t in trials_of("random-search") if t.get("status", {}).get("state") not in ("COMPLETED", "ERROR", "CANCELED")]
            most = max(most, len(alive))
            return get("experiment", "random-search").get("status", {}).get("state") == "COMPLETED"

        wait_for("the search is complete", done, 180)
        self.assertLessEqual(most, 2)
        number = get("experiment", "random-search")["status"]["id"]
        rows = sql(f"SELECT state, hparams->>'sleep' FROM trials WHERE experiment_id = {number}")
        self.assertEqual([row[0] for row in rows], ["COMPLETED"] * 5)
        self.assertEqual(len({row[1] for row in rows}), 5, "each trial has hyperparameters of its own")

    def test_adaptive_asha_stops_the_worse_trials(self):
        kubectl("apply", "-f", "-", stdin=searching(
            "digits_pytorch", "asha", ["name: adaptive_asha", "max_trials: 4", "max_concurrent_trials: 2", "max_rungs: 2",
                                       "time_metric: epochs", "max_time: 12"],
            learning_rate="{type: log, base: 10, minval: -6, maxval: -2}"))
        wait_for("the search is complete", lambda: get("experiment", "asha").get("status", {}).get("state") == "COMPLETED", 240)
        number = get("experiment", "asha")["status"]["id"]
        rows = sql(f"""SELECT t.id, t.state, count(m.steps) FROM trials t JOIN visible_series s ON s.trial_id = t.id AND s.grp = 'validation'
                       JOIN metrics m ON m.series_id = s.id WHERE t.experiment_id = {number} GROUP BY t.id, t.state""")
        self.assertEqual([row[1] for row in rows], ["COMPLETED"] * 4)
        validations = sorted(int(row[2]) for row in rows)
        self.assertEqual(validations[-1], 12, "the best trial trains to the end")
        self.assertLess(validations[0], 12, "a worse one is stopped early")


if __name__ == "__main__":
    unittest.main()
