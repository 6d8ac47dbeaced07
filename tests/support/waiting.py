"""Bounded waiting and free ports, for every suite that starts servers."""

import os
import pathlib
import random
import socket
import time

# Seconds. On a loaded machine all of it is slower, and a wait whose condition comes early costs nothing.
PATIENCE = 240


def wait_for(what, condition, timeout=PATIENCE, pause=0.1):
    """The first true value of condition(), asked every `pause` seconds; gives up after `timeout` seconds with a sentence,
    `what` or what it returns."""
    end = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"after {timeout} s still not: {what() if callable(what) else what}")
        time.sleep(pause)


def files_below(folder):
    """The files there while others take some away. (rglob fails at a folder that goes after it was listed.)"""
    found = [pathlib.Path(where) / name for where, _, names in os.walk(folder) for name in names]
    return [path for path in found if path.is_file()]


def is_alive(pid):
    """Whether the process still does anything: one that nobody has waited for yet does not."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class PortTaken(Exception):
    """A server ended because somebody else was quicker to listen on its port: try another one."""


def said_port_taken(log):
    """Whether a server says in its log why it ended, and that this is why."""
    return "Address already in use" in log


TEST_PORTS = (12_800, 14_000)


def free_port():
    """A port of loopback, below those that the kernel gives to outgoing connections: one of them could take it before the server does, or
    while the server is started again. A client that keeps dialling a port of that range with nobody behind it may even reach itself.
    Below those of trials, too, whose programs open them some time after they were chosen. Whoever is quicker has it (PortTaken). Scripts,
    which take several at once and do not try again, choose theirs below these."""
    dice = random.SystemRandom()
    while True:
        port = dice.randrange(*TEST_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
