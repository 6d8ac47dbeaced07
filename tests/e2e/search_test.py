"""Searches with several trials: random within its limit of trials at a time, and adaptive_asha that stops the worse ones."""

import pathlib
import re
import tempfile
import unittest

from our_det_test import DET_BIN
from stack import det, example_object, kubectl, run, sql, stack, status_of, wait_for

# Says so where it cannot run, by the harness of the image.
PICKY = """
import determined as det
from determined import core

with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    if det.get_cluster_info().trial.hparams["x"] < 0.5:
        raise det.InvalidHP("too small")
    context.train.report_validation_metrics(steps_completed=1, metrics={"loss": 1.0})
"""


def searching(example, name, searcher, seed=None, **hyperparameters):
    """The example's objects with another searcher and with hyperparameters to search (YAML texts)."""
    text = example_object(example, name)
    head, tail = text.rsplit("kind: Experiment", 1)
    indent = re.search(r"^( +)name: single$", tail, re.M).group(1)
    tail = tail.replace(f"{indent}name: single\n", "".join(f"{indent}{line}\n" for line in searcher))
    if seed is not None:
        tail = re.sub(r"^( +)searcher:", rf"\g<1>reproducibility: {{experiment_seed: {seed}}}\n\g<1>searcher:", tail, count=1, flags=re.M)
    for key, value in hyperparameters.items():
        tail, changed = re.subn(rf"^(\s+{key}): .*$", rf"\g<1>: {value}", tail, count=1, flags=re.M)
        assert changed == 1, f"{example} has no hyperparameter {key}"
    return head + "kind: Experiment" + tail


class Searches(unittest.TestCase):
    def test_random_tries_what_it_may_and_no_more_at_a_time(self):
        kubectl("apply", "-f", "-", stdin=searching(
            "core_api", "random-search", ["name: random", "max_trials: 5", "max_concurrent_trials: 2"],
            sleep="{type: double, minval: 0.01, maxval: 0.1}"))
        most = 0
        was_killed = False

        def done():
            nonlocal most, was_killed
            # By the database at one moment: the objects' statuses are written behind it, each when its turn comes.
            (counts,) = sql("SELECT count(*), count(*) FILTER (WHERE t.state NOT IN ('COMPLETED', 'ERROR', 'CANCELED')) FROM trials t "
                            "JOIN experiments e ON e.id = t.experiment_id WHERE e.object_name = 'random-search'")
            if not was_killed and int(counts[0]) > 2:
                stack("restart", "operator", "--kill")
                was_killed = True
            most = max(most, int(counts[1]))
            return status_of("experiment", "random-search").get("state") == "COMPLETED"

        wait_for("the search is complete", done)
        self.assertLessEqual(most, 2)
        number = status_of("experiment", "random-search")["id"]
        rows = sql(f"SELECT state, hparams->>'sleep' FROM trials WHERE experiment_id = {number}")
        self.assertEqual([row[0] for row in rows], ["COMPLETED"] * 5)
        self.assertEqual(len({row[1] for row in rows}), 5, "each trial has hyperparameters of its own")
        said = run(DET_BIN, "e", "replay", number).out.splitlines()
        self.assertRegex(said[0], r"^1  .*  the search began$")
        self.assertEqual(sum(line.startswith("    -> create trial") for line in said), 5)
        self.assertIn("decisions equal to the log (5 create, 1 shutdown); the search is over", said[-1])
        sql(f"UPDATE searcher_events SET decisions = '[]' WHERE experiment_id = {number} AND seq = 1")
        other = run(DET_BIN, "e", "replay", number, check=False)
        self.assertEqual(other.code, 1)
        self.assertIn("event 1 (initial): the log holds other decisions", other.err)

    def test_adaptive_asha_stops_the_worse_trials(self):
        # With this seed the first trial learns fast and the last two hardly at all; of three that come by chance each may be better than
        # those before, and then none is stopped. The epochs are short: many, so that a stop comes before the last.
        text = searching(
            "digits_pytorch", "asha", ["name: adaptive_asha", "max_trials: 4", "max_concurrent_trials: 2", "max_rungs: 2",
                                       "time_metric: epochs", "max_time: 60"],
            seed=15, learning_rate="{type: log, base: 10, minval: -6, maxval: -2}")
        kubectl("apply", "-f", "-", stdin=text.replace("--epochs 12", "--epochs 60"))
        wait_for("the search is complete", lambda: status_of("experiment", "asha").get("state") == "COMPLETED", 600)
        number = status_of("experiment", "asha")["id"]
        rows = sql(f"""SELECT t.id, t.state, count(m.steps) FROM trials t JOIN visible_series s ON s.trial_id = t.id AND s.grp = 'validation'
                       JOIN metrics m ON m.series_id = s.id WHERE t.experiment_id = {number} GROUP BY t.id, t.state""")
        self.assertEqual([row[1] for row in rows], ["COMPLETED"] * 4)
        validations = sorted(int(row[2]) for row in rows)
        self.assertEqual(validations[-1], 60, "the best trial trains to the end")
        self.assertLess(validations[1], 60, f"the worse ones are stopped early: {validations}")

    def test_trials_with_invalid_hyperparameters_are_replaced_and_not_run_again(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "train.py").write_text(PICKY)
            (pathlib.Path(folder) / "const.yaml").write_text(
                "name: picky\nentrypoint: python3 train.py\nmax_restarts: 3\nhyperparameters: {x: {type: double, minval: 0, maxval: 1}}\n"
                "searcher: {name: random, metric: loss, max_trials: 3, max_concurrent_trials: 2}\nreproducibility: {experiment_seed: 1}\n")
            said = det("e", "create", pathlib.Path(folder) / "const.yaml", folder).out
        number = int(re.search(r"Created experiment (\d+)", said).group(1))
        wait_for("the search is over", lambda: sql(f"SELECT state FROM experiments WHERE id = {number}") == [["COMPLETED"]])
        rows = sql(f"SELECT state, restarts, early_exit, (hparams->>'x')::float < 0.5 FROM trials WHERE experiment_id = {number}")
        refused = [row for row in rows if row[3] == "t"]
        self.assertEqual(len(rows) - len(refused), 3, "max_trials counts those that could run")
        self.assertGreaterEqual(len(refused), 1, "the seed draws at least one")
        self.assertEqual({tuple(row) for row in refused}, {("COMPLETED", "0", "EXITED_REASON_INVALID_HP", "t")})
        self.assertEqual({tuple(row) for row in rows if row[3] == "f"}, {("COMPLETED", "0", "", "f")})


if __name__ == "__main__":
    unittest.main()
