"""The network: two convolutions, then two dense layers."""

from torch import nn


def network(n_filters1, n_filters2, n_hidden, classes=10):
    """For 8x8 images with one channel."""
    return nn.Sequential(
        nn.Conv2d(1, n_filters1, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(n_filters1, n_filters2, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(n_filters2 * 4 * 4, n_hidden),
        nn.ReLU(),
        nn.Linear(n_hidden, classes),
    )
