"""Experiments of these tests, and the program that most of them run."""

PROGRAM = '''
import logging
import os
import sys
import time

import determined as det
from determined import core


def restore(context, uuid):
    with context.checkpoint.restore_path(uuid) as path:
        return int((path / "step").read_text())


def save(context, step):
    with context.checkpoint.store_path({"steps_completed": step}) as (path, _):
        (path / "step").write_text(str(step))


def train(context, info, hparams, done):
    for step in range(done + 1, hparams["steps"] + 1):
        time.sleep(hparams["sleep"])
        context.train.report_training_metrics(steps_completed=step, metrics={"loss": 1.0 / step})
        logging.info("step %d of %d", step, hparams["steps"])
        if step in hparams["fail_at"]:
            save(context, step)
            sys.exit(3)
        if context.preempt.should_preempt():
            save(context, step)
            logging.info("preempted after step %d", step)
            return
    context.train.report_validation_metrics(steps_completed=hparams["steps"], metrics={"loss": 1.0 / hparams["steps"]})
    save(context, hparams["steps"])


def main():
    info = det.get_cluster_info()
    with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
        done = restore(context, info.latest_checkpoint) if info.latest_checkpoint else 0
        logging.info("run %s begins after step %d", os.environ["DET_TRIAL_RUN_ID"], done)
        train(context, info, info.trial.hparams, done)


logging.basicConfig(level=logging.INFO, format=det.LOG_FORMAT)
main()
'''
CODE = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "steps"}, "data": {"train.py": PROGRAM}}


def experiment(name, entrypoint="python3 train.py", steps=5, sleep=0.1, fail_at=(), max_restarts=0, image=None, pod_spec=None,
               slots=1, code="steps", **config):
    """`config`: further keys of the experiment configuration."""
    environment = config.pop("environment", {})
    if image:
        environment["image"] = image
    if pod_spec:
        environment["pod_spec"] = {"spec": pod_spec}
    whole = {"name": name, "entrypoint": entrypoint, "hyperparameters": {"steps": steps, "sleep": sleep, "fail_at": {"type": "const", "val": list(fail_at)}},
             "searcher": {"name": "single", "metric": "loss"}, "resources": {"slots_per_trial": slots, **config.pop("resources", {})},
             "max_restarts": max_restarts, "environment": environment, **config}
    spec = {"config": whole}
    if code:
        spec["context"] = {"configMap": {"name": code}}
    return {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": name}, "spec": spec}


def main_container(**fields):
    """A pod_spec that says something about the container of the training."""
    return {"containers": [{"name": "determined-container", **fields}]}
