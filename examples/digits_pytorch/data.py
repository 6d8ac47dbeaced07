"""The 8x8 digits, read from the file beside this one: 64 pixels of 0 to 16, then the class."""

import gzip
import pathlib

import numpy as np
import torch
from torch.utils.data import Dataset

from determined import pytorch

_FILE = pathlib.Path(__file__).with_name("digits.csv.gz")


class Digits(Dataset):
    """Items are indices only: `collate` gathers a whole batch in one step."""

    def __init__(self, part):
        with gzip.open(_FILE, "rt") as file:
            table = torch.from_numpy(np.loadtxt(file, delimiter=",", dtype=np.float32))
        # Every fifth image is for validation.
        fifth = torch.arange(len(table)) % 5 == 0
        table = table[~fifth] if part == "train" else table[fifth]
        self.images = (table[:, :64] / 16).reshape(-1, 1, 8, 8)
        self.labels = table[:, 64].long()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return index

    def collate(self, indices):
        chosen = torch.tensor(indices)
        return self.images[chosen], self.labels[chosen]


def loader(part, batch_size, shuffle):
    dataset = Digits(part)
    return pytorch.DataLoader(dataset, batch_size=batch_size, shuffle=shuffle, collate_fn=dataset.collate)
