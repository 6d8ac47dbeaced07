"""The smallest trial: python3 train.py [--reports N] [--sleep SECONDS]. What it reports depends on the step alone."""

import argparse
import logging
import time

import determined as det
from determined import core

_DEFAULTS = {"reports": 10, "sleep": 0.0}


def loss(step):
    return 1.0 / step


def restore(context, uuid):
    """The number of steps that the checkpoint holds."""
    with context.checkpoint.restore_path(uuid) as path:
        return int((path / "step").read_text())


def save(context, step):
    with context.checkpoint.store_path({"steps_completed": step}) as (path, _):
        (path / "step").write_text(str(step))


def train(context, reports, sleep, first):
    for step in range(first, reports + 1):
        time.sleep(sleep)
        context.train.report_training_metrics(steps_completed=step, metrics={"loss": loss(step)})
        context.train.report_progress(step / reports)
        if context.preempt.should_preempt():
            save(context, step)
            return
    context.train.report_validation_metrics(steps_completed=reports, metrics={"validation_loss": loss(reports)})
    save(context, reports)


def main():
    info = det.get_cluster_info()
    hparams = dict(_DEFAULTS, **(info.trial.hparams if info else {}))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reports", type=int, default=hparams["reports"])
    parser.add_argument("--sleep", type=float, default=hparams["sleep"])
    arguments = parser.parse_args()
    # MANUAL: otherwise core.init insists on a TensorBoard writer, that is on torch or TensorFlow.
    with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
        done = restore(context, info.latest_checkpoint) if info and info.latest_checkpoint else 0
        logging.info("%d of %d steps are done", done, arguments.reports)
        train(context, arguments.reports, arguments.sleep, done + 1)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format=det.LOG_FORMAT)
    main()
