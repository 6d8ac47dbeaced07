"""Bounded waiting and free ports, for every suite that starts servers."""

import socket
import time


def wait_for(what, condition, timeout=120, pause=0.1):
    """The first true value of condition(), asked every `pause` seconds; gives up after `timeout` seconds with a sentence,
    `what` or what it returns."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
    raise AssertionError(f"after {timeout} s still not: {what() if callable(what) else what}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
