"""Where the program of this very pod listens."""

import socket
import time

_BETWEEN = 0.05  # seconds from one try to the next


def bound_host(environ):
    """The address at which a program that binds to DET_BIND_ADDRESS is reached from its own pod."""
    bound = environ.get("DET_BIND_ADDRESS") or ""
    return "127.0.0.1" if bound in ("", "*", "0.0.0.0", "::") else bound


def wait_until_open(host, port, seconds):
    """Whether somebody accepted a connection there within that time."""
    end = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection((host, port), timeout=max(0.1, end - time.monotonic())).close()
            return True
        except OSError:
            if time.monotonic() >= end:
                return False
        time.sleep(_BETWEEN)
