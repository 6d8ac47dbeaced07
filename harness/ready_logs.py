"""Copies its input to its output unchanged, and tells the server when a line shows that the task can be used, or that it waits
for something: ready_logs.py [--port PORT] READY [WAITING], regular expressions that are looked for in each line. With a port, of a
program that prints its line before it listens, it is ready once the port is open, too: whoever is sent there at once must not be refused.

It reads until the end of the input whatever happens, so that the program that prints is never held up or ended by it."""

import os
import re
import sys
import threading
import time

from log_lines import LineCutter
from own_port import bound_host, wait_until_open
from server_connection import server_of

_BACKOFF = (0.5, 1.0, 2.0, 5.0)
_OPENS_WITHIN = 60.0  # seconds; then the line alone counts
# Saying the same again cannot help these.
_REFUSALS = (400, 401, 403, 404, 409, 410, 501)


def say(text):
    try:
        sys.stderr.write("%s\n" % text)
        sys.stderr.flush()
    except OSError:
        pass


class Reporter(threading.Thread):
    """Posts the newest state that it was told, again and again while the server is away."""

    def __init__(self, environ, port):
        super().__init__(name="ready-reporter", daemon=True)
        self._environ = environ
        self._port = port
        self._changed = threading.Condition()
        self._state = None

    def tell(self, state):
        with self._changed:
            self._state = state
            self._changed.notify()

    def run(self):
        told = None
        try:
            server = server_of(self._environ)
            path = "/api/v1/allocations/%s/" % self._environ["DET_ALLOCATION_ID"]
        except (KeyError, ValueError, OSError) as error:
            say("ERROR: cannot tell the server when this task is ready: %s" % error)
            return
        while True:
            with self._changed:
                while self._state == told:
                    self._changed.wait()
                state = self._state
            told = state
            if state == "ready" and self._port and not wait_until_open(bound_host(self._environ), self._port, _OPENS_WITHIN):
                say("WARNING: the task says that it is ready, and nobody answers on its port %d yet" % self._port)
            self._deliver(server, path + state, state)

    def _deliver(self, server, path, state):
        attempt = 0
        while self._state == state:
            pause = 0.0
            try:
                status, pause = server.post(path, b"{}", 30.0)
                if 200 <= status < 300:
                    return
                problem = "status %d" % status
                if status in _REFUSALS:
                    say("WARNING: the server was told that this task is %s and refused it: %s" % (state, problem))
                    return
            except Exception as error:  # whatever it is, the task goes on
                problem = "%s: %s" % (type(error).__name__, error)
            if attempt == 3:
                say("WARNING: cannot tell the server yet that this task is %s (%s); trying on" % (state, problem))
            time.sleep(max(pause, _BACKOFF[min(attempt, len(_BACKOFF) - 1)]))
            attempt += 1


def copy(data, output):
    """False once nobody reads the output any more."""
    while data:
        try:
            data = data[os.write(output, data) :]
        except InterruptedError:
            continue
        except OSError:
            return False
    return True


def main(argv, environ):
    words, port = argv[1:], None
    if words[:1] == ["--port"] and len(words) > 1 and words[1].isdigit():
        words, port = words[2:], int(words[1])
    if not 1 <= len(words) <= 2:
        say("usage: ready_logs.py [--port PORT] READY [WAITING]")
        return 2
    patterns = [(state, re.compile(text)) for state, text in zip(("ready", "waiting"), words)]
    reporter = Reporter(environ, port)
    reporter.start()
    cutter = LineCutter()
    is_read = True
    while True:
        try:
            data = os.read(0, 65536)
        except InterruptedError:
            continue
        if is_read:
            is_read = copy(data, 1)
        if patterns:
            for line in cutter.feed(data, final=not data):
                state = next((state for state, pattern in patterns if pattern.search(line)), None)
                if state is None:
                    continue
                reporter.tell(state)
                if state == "ready":  # nothing comes after it
                    patterns = []
                    break
        if not data:
            return 0


if __name__ == "__main__":
    code = main(sys.argv, os.environ)
    os._exit(code)  # a report that is under way must not hold up the end of the task
