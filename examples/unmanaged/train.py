"""Reports to det-operator from wherever it runs: a laptop, another cluster, a CI job.

    python3 -m venv ~/report && . ~/report/bin/activate
    pip install determined==0.38.1 torch   # torch is optional
    export DET_MASTER=http://localhost:8080 DET_USER=determined DET_PASS=...   # of local mode: in passwords of its data folder
    python3 train.py             # trains, and saves a checkpoint every ten steps
    python3 train.py --fail-at 25 --name mine
    python3 train.py --name mine # goes on from step 20, in the same trial
"""

import argparse
import pathlib

from determined.experimental import core_v2


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--name", help="of the experiment and its trial: one that is there already goes on")
    arguments.add_argument("--steps", type=int, default=40)
    arguments.add_argument("--fail-at", type=int, default=-1, metavar="STEP")
    arguments.add_argument("--storage", help="folder or URL of the checkpoints")
    options = arguments.parse_args()
    core_v2.init(
        config=core_v2.Config(
            name=options.name or "unmanaged",
            labels=["unmanaged"],
            hparams={"lr": 0.1},
            searcher={"name": "single", "metric": "loss"},
            checkpoint_storage=options.storage,
            external_experiment_id=options.name,
            external_trial_id=options.name and "only",
        )
    )
    first = 0
    if core_v2.info.latest_checkpoint is not None:
        with core_v2.checkpoint.restore_path(core_v2.info.latest_checkpoint) as path:
            first = int((path / "step").read_text())
        print(f"going on from step {first}")
    for step in range(first + 1, options.steps + 1):
        if step == options.fail_at:
            raise RuntimeError(f"failing at step {step}, as asked")
        core_v2.train.report_training_metrics(steps_completed=step, metrics={"loss": 1 / step})
        if step % 10 == 0:
            print(f"step {step}")
            core_v2.train.report_validation_metrics(steps_completed=step, metrics={"loss": 1 / step})
            with core_v2.checkpoint.store_path({"steps_completed": step}) as (path, _):
                pathlib.Path(path, "step").write_text(str(step))
    core_v2.close()


if __name__ == "__main__":
    main()
