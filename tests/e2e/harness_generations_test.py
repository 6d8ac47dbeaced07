"""Harnesses from 0.26.7 to 0.38.1 beside each other in one cluster, each by the image of its experiment: single runs, searches,
pause and resume, and starting from another trial's checkpoint."""

import json
import pathlib
import re
import tempfile
import unittest

from stack import CACHE, ROOT, api, det, sql, stack, wait_for

OLDER = ("0.26.7", "0.33.0", "0.37.0")
NEWEST = "0.38.1"
EXAMPLE = ROOT / "examples" / "trial_class"

# Trains in steps; how far, the searcher says, operation by operation. The Core API of 0.37 and before.
OPERATIONS = """
import pathlib, time
import determined as det
from determined import core

def main():
    info = det.get_cluster_info()
    pause = info.trial.hparams.get("pause", 0)
    with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
        done = 0
        if info.latest_checkpoint:
            with context.checkpoint.restore_path(info.latest_checkpoint) as path:
                done = int((path / "step").read_text())
        print(f"begins at step {done}, told {info.trial._steps_completed}", flush=True)
        first = done
        def save():
            with context.checkpoint.store_path({"steps_completed": done}) as (path, _):
                (path / "step").write_text(str(done))
        for operation in context.searcher.operations():
            print(f"operation {operation.length}", flush=True)
            while done < operation.length:
                time.sleep(pause)
                done += 1
                context.train.report_training_metrics(steps_completed=done, metrics={"loss": 1 / done})
                operation.report_progress(done)
                if context.preempt.should_preempt():
                    save()
                    return
            context.train.report_validation_metrics(steps_completed=done, metrics={"validation_loss": info.trial.hparams["quality"] / done})
            save()
            operation.report_completed(info.trial.hparams["quality"] / done)
        print(f"out of work at step {done} after {first}", flush=True)

main()
"""


def create(folder, config, *options, version=None):
    """Creates an experiment with the real client; its id."""
    arguments = [] if version is None else ["--config", f"environment.image=determined:{version}"]
    said = det("e", "create", pathlib.Path(folder) / config, folder, *arguments, *options).out
    return int(re.search(r"Created experiment (\d+)", said).group(1))


def state(experiment):
    return sql(f"SELECT state FROM experiments WHERE id = {experiment}")[0][0]


def log(trial):
    return det("t", "logs", trial).out


def trials(experiment):
    return [int(row[0]) for row in sql(f"SELECT id FROM trials WHERE experiment_id = {experiment} ORDER BY id")]


def finished(experiment, timeout=600):
    """Waits for the end; fails with the logs of those that are not COMPLETED, the experiment or a trial of it."""
    wait_for(f"experiment {experiment} ends", lambda: state(experiment) in ("COMPLETED", "ERROR", "CANCELED"), timeout)
    failed = sql(f"SELECT id, state, exit_reason FROM trials WHERE experiment_id = {experiment} AND state <> 'COMPLETED' ORDER BY id")
    if state(experiment) != "COMPLETED" or failed:
        raise AssertionError(f"experiment {experiment} is {state(experiment)}, trials {failed}:\n" + "\n".join(map(log, [row[0] for row in failed] or trials(experiment))))


def visible_steps(trial, group):
    return [int(row[0]) for row in sql(
        f"""SELECT m.steps FROM visible_series s JOIN metrics m ON m.series_id = s.id
            WHERE s.trial_id = {trial} AND s.grp = '{group}' AND m.steps <= s.last_steps ORDER BY m.steps""")]


class Scratch(unittest.TestCase):
    """A folder with the script above and a configuration for it."""

    def folder(self, version, searcher, quality="1.0", pause=0):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        (path / "train.py").write_text(OPERATIONS)
        (path / "const.yaml").write_text(
            f"name: operations\nentrypoint: python3 train.py\nmax_restarts: 0\nhyperparameters: {{pause: {pause}, quality: {quality}}}\n"
            f"environment: {{image: determined:{version}}}\nsearcher: {json.dumps({'metric': 'validation_loss', **searcher})}\n")
        return path


@unittest.skipUnless(all((CACHE / f"venv-determined-{v}").exists() for v in OLDER), "not run: scripts/train-env.sh older has not been run")
class Generations(Scratch):
    def test_a_trial_class_trains_to_max_length_with_every_harness(self):
        made = {version: create(EXAMPLE, "const.yaml", version=version) for version in (*OLDER, NEWEST)}
        for version, experiment in made.items():
            with self.subTest(version=version):
                finished(experiment)
                (trial,) = trials(experiment)
                self.assertEqual(visible_steps(trial, "training"), list(range(10, 201, 10)))
                self.assertEqual(visible_steps(trial, "validation"), [50, 100, 150, 200])
                row = lambda: sql(f"SELECT work_is_asked_for, work_completed, progress FROM trials WHERE id = {trial}")  # noqa: B023
                # Which generation it is, the trial shows itself. Progress is written now and then.
                wanted = [["f", "0", "1"]] if version == NEWEST else [["t", "200", "1"]]
                wait_for(lambda: f"{wanted}: {row()}", lambda: row() == wanted)  # noqa: B023
                self.assertIn("200", det("e", "list-checkpoints", experiment).out)

    def test_every_unit_of_max_length_reaches_the_harness(self):
        for unit, length in (("epochs", 3), ("records", 1920)):
            with self.subTest(unit=unit):
                text = (EXAMPLE / "const.yaml").read_text().replace("    batches: 200", f"    {unit}: {length}")
                config = self.folder("0.37.0", {"name": "single"}) / "units.yaml"
                config.write_text(text.replace("  batches: 50", "  epochs: 1"))
                experiment = create(EXAMPLE, config, version="0.37.0")
                finished(experiment)
                self.assertEqual(visible_steps(trials(experiment)[0], "validation"), [10, 20, 30], "an epoch is ten batches")

    def test_halving_by_length_with_both_generations(self):
        # A program of 0.38 goes on after its rung until it sees that it is to stop. One whose 48 batches take less than that ends by
        # itself, and the search does not give a trial that has ended more work.
        made = {version: create(EXAMPLE, "adaptive.yaml", "--config", "hyperparameters.seconds_per_batch=0.2", version=version)
                for version in ("0.37.0", NEWEST)}
        for version, experiment in made.items():
            with self.subTest(version=version):
                finished(experiment)
                reached = sorted(int(row[0]) for row in sql(f"SELECT work_completed FROM trials WHERE experiment_id = {experiment}"))
                self.assertEqual(len(reached), 6)
                self.assertEqual(reached[0], 16, "most end at the first rung, a quarter of the length")
                self.assertEqual(reached[-1], 64, "the best train to the end")

    def test_a_trial_between_rungs_gives_its_slot_back_and_goes_on_from_its_checkpoint(self):
        searcher = {"name": "async_halving", "num_rungs": 2, "divisor": 2, "max_trials": 4, "max_concurrent_trials": 1, "max_length": {"batches": 8}}
        folder = self.folder("0.37.0", searcher, quality="{type: categorical, vals: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]}")
        # The seed draws 1, 3, 4, 5: the best trial comes first and has to wait for a second one to be better than.
        experiment = create(folder, "const.yaml", "--config", "reproducibility.experiment_seed=2")
        wait_for("a trial has completed an operation", lambda: int(sql(f"SELECT coalesce(max(work_completed), 0) FROM trials WHERE experiment_id = {experiment}")[0][0]) >= 4)
        stack("restart", "operator", "--kill")
        finished(experiment)
        promoted = [t for t in trials(experiment) if visible_steps(t, "validation") == [4, 8]]
        self.assertGreaterEqual(len(promoted), 1)
        for trial in trials(experiment):
            steps = visible_steps(trial, "training")
            self.assertEqual(steps, list(range(1, steps[-1] + 1)), f"trial {trial}: no step lost, none twice")
        resumed = [t for t in promoted if "begins at step 4, told 4" in log(t)]
        self.assertGreaterEqual(len(resumed), 1, "at least one trial was called back")
        self.assertIn("out of work at step 4", log(resumed[0]))

    def test_pause_and_resume_lose_no_step_and_train_none_twice(self):
        for version in OLDER:
            with self.subTest(version=version):
                experiment = create(self.folder(version, {"name": "single", "max_length": {"batches": 100}}, pause=0.1), "const.yaml")
                wait_for("steps are reported", lambda: trials(experiment) and len(visible_steps(trials(experiment)[0], "training")) >= 10)
                (trial,) = trials(experiment)
                api("POST", f"/api/v1/experiments/{experiment}/pause")  # `det` takes as long to start as some of them train
                wait_for("its run has ended", lambda: sql(f"SELECT count(*) FROM allocations WHERE trial_id = {trial} AND ended_at IS NULL") == [["0"]])
                self.assertEqual(state(experiment), "PAUSED")
                done = len(visible_steps(trial, "training"))
                self.assertLess(done, 100)
                det("e", "activate", experiment)
                finished(experiment)
                self.assertEqual(visible_steps(trial, "training"), list(range(1, 101)))
                self.assertIn(f"begins at step {done}, told {done}", log(trial))
                self.assertEqual(sql(f"SELECT run, restarts FROM trials WHERE id = {trial}"), [["2", "0"]])

    def test_an_older_harness_without_max_length_is_told_what_is_missing(self):
        experiment = create(self.folder("0.37.0", {"name": "single"}), "const.yaml")
        wait_for("it has failed", lambda: state(experiment) == "ERROR")
        (trial,) = trials(experiment)
        wait_for("its log says so", lambda: "add `max_length: {batches: N}`" in log(trial))


if __name__ == "__main__":
    unittest.main()
