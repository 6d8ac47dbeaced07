"""Trains a trial, in a cluster or on its own: python3 train.py [--epochs N]."""

import argparse
import logging
import pathlib

import model_def
import torch
from ruamel import yaml

import determined as det
from determined import pytorch


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    arguments = parser.parse_args()

    info = det.get_cluster_info()
    if info is None:
        # Not in a cluster: the constants of const.yaml, and nothing is kept.
        config = yaml.YAML(typ="safe", pure=True).load(pathlib.Path(__file__).with_name("const.yaml"))
        hparams = config["hyperparameters"]
        torch.manual_seed(0)
    else:
        hparams = info.trial.hparams
    with pytorch.init(hparams=hparams, enable_tensorboard_logging=info is not None) as context:
        trial = model_def.FashionMnistTrial(context, arguments.epochs)
        pytorch.Trainer(trial, context).fit(
            max_length=pytorch.Epoch(arguments.epochs),
            validation_period=pytorch.Epoch(1),
            latest_checkpoint=info.latest_checkpoint if info else None,
            checkpoint_policy="best" if info else "none",
        )


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format=det.LOG_FORMAT)
    main()
