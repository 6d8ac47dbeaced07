"""What one trial trains: the network, its optimizer, and the two steps."""

import data
import layers
import torch
from torch import nn

from determined import pytorch


class DigitsTrial(pytorch.PyTorchTrial):
    def __init__(self, context, epochs):
        self.context = context
        hparam = context.get_hparam
        self.train_data = data.loader("train", context.get_per_slot_batch_size(), shuffle=True)
        self.validation_data = data.loader("validation", 360, shuffle=False)
        self.model = context.wrap_model(layers.network(hparam("n_filters1"), hparam("n_filters2"), hparam("n_hidden")))
        self.optimizer = context.wrap_optimizer(torch.optim.Adam(self.model.parameters()))
        steps = epochs * len(self.train_data) // context.distributed.get_size()
        schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, hparam("learning_rate"), total_steps=steps + 1)
        context.wrap_lr_scheduler(schedule, pytorch.LRScheduler.StepMode.STEP_EVERY_BATCH)
        self.loss = nn.CrossEntropyLoss()

    def build_training_data_loader(self):
        return self.train_data

    def build_validation_data_loader(self):
        return self.validation_data

    def train_batch(self, batch, epoch_idx, batch_idx):
        images, labels = batch
        loss = self.loss(self.model(images), labels)
        self.context.backward(loss)
        self.context.step_optimizer(self.optimizer)
        return {"loss": loss}

    def evaluate_batch(self, batch):
        images, labels = batch
        scores = self.model(images)
        right = (scores.argmax(dim=1) == labels).float().mean()
        return {"validation_loss": self.loss(scores, labels), "accuracy": right}
