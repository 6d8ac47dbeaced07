"""Fits y = 3x - 1 in several processes: each has its own part of the data, gradients are averaged, rank 0 reports.

In a cluster determined.launch.torch_distributed starts it; alone: python3 -m torch.distributed.run --nproc_per_node 2 train.py
"""

import logging

import torch
import torch.distributed as dist

import determined as det
from determined import core

_DEFAULTS = {"steps": 60, "learning_rate": 0.2}


def shard(rank, size, count=256):
    x = torch.linspace(-1, 1, count)[rank::size]
    return x, 3 * x - 1


def loss(weights, x, y):
    return ((weights[0] * x + weights[1] - y) ** 2).mean()


def mean_over_ranks(value, size):
    total = value.detach().clone()
    dist.all_reduce(total)
    return total / size


def restore(context, uuid):
    with context.checkpoint.restore_path(uuid) as path:
        state = torch.load(path / "state.pt")
    return state["step"], state["weights"].requires_grad_()


def save(context, step, weights):
    """Only rank 0 writes: all have the same weights."""
    if context.distributed.rank == 0:
        with context.checkpoint.store_path({"steps_completed": step}) as (path, _):
            torch.save({"step": step, "weights": weights.detach()}, path / "state.pt")


def train(context, hparams, step, weights):
    rank, size = context.distributed.rank, context.distributed.size
    x, y = shard(rank, size)
    while step < hparams["steps"]:
        step += 1
        value = loss(weights, x, y)
        value.backward()
        with torch.no_grad():
            weights -= hparams["learning_rate"] * mean_over_ranks(weights.grad, size)
            weights.grad.zero_()
        mean = mean_over_ranks(value, size)
        if rank == 0 and step % 10 == 0:
            context.train.report_training_metrics(steps_completed=step, metrics={"loss": mean.item()})
            context.train.report_progress(step / hparams["steps"])
        if step % 10 == 0 and context.preempt.should_preempt():
            break
    else:
        final = mean_over_ranks(loss(weights, x, y), size)
        if rank == 0:
            metrics = {"validation_loss": final.item(), "ranks": size}
            context.train.report_validation_metrics(steps_completed=step, metrics=metrics)
            logging.info("%d ranks found y = %.3f x + %.3f", size, weights[0], weights[1])
    save(context, step, weights)


def main():
    info = det.get_cluster_info()
    hparams = dict(_DEFAULTS, **(info.trial.hparams if info else {}))
    dist.init_process_group("gloo")
    distributed = core.DistributedContext.from_torch_distributed()
    with core.init(distributed=distributed, tensorboard_mode=core.TensorboardMode.MANUAL) as context:
        step, weights = 0, torch.zeros(2, requires_grad=True)
        if info and info.latest_checkpoint:
            step, weights = restore(context, info.latest_checkpoint)
        train(context, hparams, step, weights)
    dist.destroy_process_group()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format=det.LOG_FORMAT)
    main()
