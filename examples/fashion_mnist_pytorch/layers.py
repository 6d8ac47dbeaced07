"""The network: two strided convolutions with batch normalisation, then two dense layers."""

from torch import nn


def _convolution(inputs, outputs, kernel):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, kernel, stride=2, padding=kernel // 2, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(),
    )


def network(n_filters1, n_filters2, n_hidden, classes=10):
    """For 28x28 images with one channel; each convolution halves the side."""
    return nn.Sequential(
        _convolution(1, n_filters1, 5),
        _convolution(n_filters1, n_filters2, 3),
        nn.Flatten(),
        nn.Linear(n_filters2 * 7 * 7, n_hidden),
        nn.ReLU(),
        nn.Linear(n_hidden, classes),
    )
