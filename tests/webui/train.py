"""Pretends to train: a loss that falls as its hyperparameters let it, log lines that look like HTML, and failures where they are wanted."""

import logging
import math
import time

import determined as det
from determined import core


def save(context, step):
    with context.checkpoint.store_path({"steps_completed": step}) as (path, _):
        (path / "step").write_text(str(step))


def main():
    info = det.get_cluster_info()
    wanted = info.trial.hparams
    distance = abs(math.log10(wanted.get("lr", 0.001)) + 3) / 4 + 0.3 / wanted.get("layers", 1)
    with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
        print("\x1b[31mred\x1b[0m <img src=x onerror=alert(1)>", flush=True)
        logging.warning("the learning rate is <b>%s</b>", wanted.get("lr"))
        for step in range(1, wanted["steps"] + 1):
            time.sleep(wanted.get("sleep", 0))
            loss = distance + 2 * math.exp(-step / 4)
            context.train.report_training_metrics(steps_completed=step, metrics={"loss": loss})
            if step % 2 == 0:
                context.train.report_validation_metrics(steps_completed=step, metrics={"validation_loss": loss, "batches": step})
            if step == wanted.get("fail_at"):
                raise MemoryError("pretended: <b>out of memory</b>")
            if context.preempt.should_preempt():
                break
        save(context, step)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format=det.LOG_FORMAT)
    main()
