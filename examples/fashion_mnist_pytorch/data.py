"""Fashion-MNIST from the four idx files as published, and the fast way to make batches of it."""

import gzip
import os
import pathlib

import numpy as np
import torch
from torch.utils.data import Dataset

from determined import pytorch

# Where Debian's package dataset-fashion-mnist puts the files.
_DEFAULT_FOLDER = "/usr/share/datasets/fashion-mnist"
_MEAN, _DEVIATION = 0.2860, 0.3530
_SIZE = 28


def folder():
    return pathlib.Path(os.environ.get("FASHION_MNIST_DIR", _DEFAULT_FOLDER))


def _read(name, header):
    path = folder() / name
    if not path.exists():
        raise FileNotFoundError(
            f"{path} does not exist. Install the Debian package dataset-fashion-mnist where the trial runs, or set "
            "FASHION_MNIST_DIR in environment.environment_variables to a folder with the four *-ubyte.gz files."
        )
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=header)


class FashionMnist(Dataset):
    """Items are indices only: `collate` gathers the pixels of a whole batch in one step, which is much faster than
    building 128 little tensors and stacking them."""

    def __init__(self, part):
        pixels = _read(f"{part}-images-idx3-ubyte.gz", 16)
        self.images = torch.from_numpy(pixels.reshape(-1, 1, _SIZE, _SIZE).copy())
        self.labels = torch.from_numpy(_read(f"{part}-labels-idx1-ubyte.gz", 8).astype(np.int64))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return index

    def collate(self, indices):
        chosen = torch.tensor(indices)
        return (self.images[chosen].float() / 255 - _MEAN) / _DEVIATION, self.labels[chosen]


def loader(part, batch_size, shuffle):
    dataset = FashionMnist(part)
    return pytorch.DataLoader(dataset, batch_size=batch_size, shuffle=shuffle, collate_fn=dataset.collate)
