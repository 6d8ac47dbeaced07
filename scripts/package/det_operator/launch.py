"""Turns this process into one of the programs beside this file."""

import importlib.util
import os
import pathlib
import sys


def is_environment_for_trials():
    """A virtual environment that has the package which every trial needs."""
    return sys.prefix != sys.base_prefix and importlib.util.find_spec("determined") is not None


def become(name):
    # What an activated environment says; one that is only called by its path says nothing.
    if "VIRTUAL_ENV" not in os.environ and is_environment_for_trials():
        os.environ["VIRTUAL_ENV"] = sys.prefix
    program = pathlib.Path(__file__).resolve().parent / "bin" / name
    os.execv(program, [name, *sys.argv[1:]])


def det():
    become("det")


def operator():
    become("det-operator")
