"""A 40-trial random search, 8 at a time, whose trials are killed at random: their program, their pod, or the trial by its user."""

import json
import os
import pathlib
import random
import signal
import unittest

from local import Local, wait_for

TRIALS, AT_A_TIME, STEPS, SEED = 40, 8, 30, 5
CODE = f"""
import time
import determined as det
from determined import core

info = det.get_cluster_info()
with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    done = 0
    if info.latest_checkpoint:
        with context.checkpoint.restore_path(info.latest_checkpoint) as path:
            done = int((path / "step").read_text())
    for step in range(done + 1, {STEPS} + 1):
        time.sleep(0.12)  # the hunter has to see it before it is over
        context.train.report_training_metrics(steps_completed=step, metrics={{"loss": info.trial.hparams["x"] / step}})
        if step % 10 == 0:
            with context.checkpoint.store_path({{"steps_completed": step}}) as (path, _):
                (path / "step").write_text(str(step))
    context.train.report_validation_metrics(steps_completed={STEPS}, metrics={{"loss": info.trial.hparams["x"]}})
"""
SEARCH = {
    "apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": "hunted"},
    "spec": {"context": {"configMap": {"name": "hunted-code"}},
             "config": {"name": "hunted", "entrypoint": "python3 train.py", "max_restarts": 5, "resources": {"slots_per_trial": 1},
                        "hyperparameters": {"x": {"type": "double", "minval": 0, "maxval": 1}}, "reproducibility": {"experiment_seed": SEED},
                        "searcher": {"name": "random", "metric": "loss", "max_trials": TRIALS, "max_concurrent_trials": AT_A_TIME}}}}
# How many trials may be hit in each way; one way for a trial.
LIMITS = {"program": 8, "pod": 8, "trial": 4}
OVER = ("COMPLETED", "CANCELED", "ERROR")


def training_program(master, trial):
    """The process ids of the trial's training program, without what watches over it. Others on this machine may train, too."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and b"train.py" in (entry / "cmdline").read_bytes():
                environment = (entry / "environ").read_bytes().split(b"\0")
                if {f"DET_MASTER={master}".encode(), f"DET_TRIAL_ID={trial}".encode()} <= set(environment):
                    found.append(int(entry.name))
        except OSError:
            continue  # it ended meanwhile
    return found


class KilledTrials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=AT_A_TIME)
        cls.local.start()
        cls.addClassCleanup(cls.local.remove)
        cls.addClassCleanup(cls.local.stop)

    def live(self):
        """Trials that are not over."""
        return [t for t in self.local.items("trials") if t.get("status", {}).get("state") not in OVER]

    def kill_program(self, trial):
        running = training_program(self.local.url, trial["status"]["id"])
        for process in running:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        return bool(running)

    def delete_pod(self, trial):
        pods = trial["status"].get("pods", [])
        return bool(pods) and self.local.kubectl("delete", "pod", pods[0]["name"], "--wait=false", check=False).returncode == 0

    def delete_trial(self, trial):
        return self.local.kubectl("delete", "trial", trial["metadata"]["name"], "--wait=false", check=False).returncode == 0

    def test_the_search_ends_with_its_trials(self):
        code = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hunted-code"}, "data": {"train.py": CODE}}
        for thing in (code, SEARCH):
            self.local.kubectl("apply", "-f", "-", stdin=json.dumps(thing))
        dice, most, hunted = random.Random(SEED), 0, {"program": set(), "pod": set(), "trial": set()}
        actions = {"program": self.kill_program, "pod": self.delete_pod, "trial": self.delete_trial}

        def over():
            nonlocal most
            live = self.live()
            # By the database at one moment: the objects' statuses are written behind it, each when its turn comes.
            most = max(most, int(self.local.sql(f"SELECT count(*) FROM trials WHERE state NOT IN {OVER}")[0][0]))
            running = [t for t in live if t.get("status", {}).get("state") == "RUNNING" and not any(t["status"]["id"] in h for h in hunted.values())]
            kinds = [kind for kind, limit in LIMITS.items() if len(hunted[kind]) < limit]
            if running and kinds:
                kind, victim = dice.choice(kinds), dice.choice(running)
                if actions[kind](victim):
                    hunted[kind].add(victim["status"]["id"])
            return self.local.items("experiments")[0].get("status", {}).get("state") in OVER

        wait_for("the search is over", over, 2400)
        self.assertEqual(self.local.sql("SELECT state FROM experiments"), [["COMPLETED"]])
        self.assertLessEqual(most, AT_A_TIME)
        for kind, trials in hunted.items():
            self.assertGreater(len(trials), 0, f"no trial was hit by way of its {kind}")
        rows = self.local.sql("SELECT id, state, restarts, hparams->>'x' FROM trials ORDER BY id")
        self.assertEqual(len(rows), TRIALS)
        self.assertEqual(len({row[3] for row in rows}), TRIALS, "each has hyperparameters of its own")
        steps = {int(row[0]): row[1:] for row in self.local.sql(
            """SELECT s.trial_id, count(*), count(DISTINCT m.steps), max(m.steps) FROM visible_series s JOIN metrics m ON m.series_id = s.id
               WHERE s.grp = 'training' AND m.steps <= s.last_steps GROUP BY 1""")}
        validated = {int(row[0]) for row in self.local.sql(
            f"""SELECT DISTINCT s.trial_id FROM visible_series s JOIN metrics m ON m.series_id = s.id
                WHERE s.grp = 'validation' AND m.steps = {STEPS} AND m.steps <= s.last_steps""")}
        lost = 0
        for trial, state, restarts, _ in rows:
            trial = int(trial)
            if trial in hunted["trial"]:
                # Whoever is killed in its last moment may have been through.
                self.assertIn(state, ("CANCELED", "COMPLETED"), f"trial {trial}")
                continue
            self.assertEqual(state, "COMPLETED", f"trial {trial}")
            count, distinct, last = map(int, steps[trial])
            self.assertEqual(distinct, count, f"trial {trial}: no step twice")
            self.assertIn(trial, validated, f"trial {trial} trained to its end")
            # The harness sends metrics from a thread of its own: killed, it can take with it what its checkpoint was ahead of them. The
            # last step has a checkpoint, so that even its report can be lost.
            if trial not in hunted["program"] | hunted["pod"]:
                self.assertEqual((count, last), (STEPS, STEPS), f"trial {trial}: every step")
            lost += STEPS - count
            self.assertLessEqual(int(restarts), 1 if trial in hunted["program"] else 0, f"trial {trial}: only its own failures count")
        states = [row[1] for row in rows]
        restarts = sum(int(row[2]) for row in rows)
        self.assertGreater(restarts, 0, "a killed program is a restart")
        self.assertIn("CANCELED", states)
        wait_for("no pod is left running", lambda: not [p for p in self.local.items("pods") if p["status"].get("phase") in ("Pending", "Running")])
        print(f"    killed: {', '.join(f'{len(t)} by {k}' for k, t in hunted.items())}; {restarts} restarts; {lost} steps were with killed harnesses; "
              f"{states.count('COMPLETED')} completed, {states.count('CANCELED')} canceled")


if __name__ == "__main__":
    unittest.main()
