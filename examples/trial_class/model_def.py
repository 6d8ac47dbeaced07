"""A Trial class for the older entrypoint `model_def:SpiralTrial`: two spirals, told apart by a small network."""

import math
import time

import torch
from torch import nn
from torch.utils.data import TensorDataset

from determined import pytorch

_NOISE = 0.1


def spirals(points, seed):
    """`points` places on two interleaved spirals, with noise, and which of the two each is on."""
    generator = torch.Generator().manual_seed(seed)
    label = torch.arange(points) % 2
    angle = torch.rand(points, generator=generator) * 2 * math.pi + math.pi / 2
    turned = angle + label * math.pi
    place = torch.stack([angle * torch.cos(turned), angle * torch.sin(turned)], dim=1) / 8
    return TensorDataset(place + _NOISE * torch.randn(points, 2, generator=generator) / 8, label)


class SpiralTrial(pytorch.PyTorchTrial):
    def __init__(self, context):
        self.context = context
        width = context.get_hparam("width")
        layers = [nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 2)]
        self.model = context.wrap_model(nn.Sequential(*layers))
        optimizer = torch.optim.Adam(self.model.parameters(), lr=context.get_hparam("learning_rate"))
        self.optimizer = context.wrap_optimizer(optimizer)
        self.loss = nn.CrossEntropyLoss()
        # Makes training as long as a demonstration needs it.
        self.pause = context.get_hparams().get("seconds_per_batch", 0)

    def build_training_data_loader(self):
        return pytorch.DataLoader(spirals(640, 1), batch_size=self.context.get_per_slot_batch_size(), shuffle=True)

    def build_validation_data_loader(self):
        return pytorch.DataLoader(spirals(320, 2), batch_size=320)

    def train_batch(self, batch, epoch_idx, batch_idx):
        time.sleep(self.pause)
        places, labels = batch
        loss = self.loss(self.model(places), labels)
        self.context.backward(loss)
        self.context.step_optimizer(self.optimizer)
        return {"loss": loss}

    def evaluate_batch(self, batch):
        places, labels = batch
        scores = self.model(places)
        wrong = (scores.argmax(dim=1) != labels).float().mean()
        return {"validation_loss": self.loss(scores, labels), "validation_error": wrong}
