"""Runs a command and ships what it prints to the server: ship_logs.py COMMAND [ARGUMENT...]. Made to be process 1 of a pod.

Ends with the command's exit code; 128+n when signal n killed it, 127 when it was not found, 126 when it could not be executed,
80 when the shipper itself is not configured. A server that is away never ends or delays the command: lines wait in a spool.

Environment: DET_MASTER, DET_SESSION_TOKEN, DET_TASK_LOGGING_METADATA (JSON object, copied into every line); optional
DET_CONTAINER_ID, DET_AGENT_ID, DET_MASTER_CERT_FILE, DET_MASTER_CERT_NAME, DET_LOG_WAIT_TIME (seconds after the end of the
command, 30), DET_SHIPPER_EMIT_STDOUT_LOGS (non-empty: print everything here too).
"""

import os
import signal

_FORWARDED = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH]
# Signals that came before the command was there to get them.
_early = []
if __name__ == "__main__":
    # Before anything else: process 1 does not get a signal that it has no handler for, and the rest takes a while.
    for _number in _FORWARDED:
        signal.signal(_number, lambda number, _frame: _early.append(number))

import json
import selectors
import subprocess
import sys
import time

from log_lines import LineCutter, make_record, own_record
from log_sender import Sender
from log_spool import Spool
from server_connection import server_of

# How long processes that outlive the command may still print.
_PIPE_GRACE = 1.0
_SHIPPER_FAILURE = 80
_LONGEST_WAIT = 86400.0


def say(text):
    """Nobody may read it: the task goes on all the same."""
    try:
        sys.stderr.write("ship_logs: %s\n" % text)
        sys.stderr.flush()
    except (OSError, ValueError):
        pass


class Child:
    """The command: starts it, forwards signals to it and collects its exit code. As process 1 it also reaps orphans."""

    def __init__(self):
        self._pid = None
        self.code = None
        # Signals only wake the loop through this pipe; the handlers themselves do next to nothing.
        self.wake, write_end = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(write_end, False)
        signal.set_wakeup_fd(write_end)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in _FORWARDED:
            signal.signal(number, self._forward)

    def start(self, command):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._pid = process.pid
        for number in _early:
            self._forward(number, None)
        return process

    def reap(self):
        """Called after a wake-up: collects whoever has ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self._pid:
                self._pid = None
                self.code = 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

    def _forward(self, number, _frame):
        if self._pid is not None:
            try:
                os.kill(self._pid, number)
            except OSError:  # it has just ended, or is another user's, as below sudo
                pass
        elif self.code is None:
            _early.append(number)


class Stream:
    """One output of the command."""

    def __init__(self, pipe, stdtype, copy_to):
        self.pipe = pipe
        self.stdtype = stdtype
        self._copy_to = copy_to
        self.cutter = LineCutter()

    def read(self):
        """The next bytes; empty at the end."""
        data = os.read(self.pipe.fileno(), 65536)
        rest = data
        while rest and self._copy_to is not None:
            try:
                rest = rest[os.write(self._copy_to, rest) :]
            except OSError:
                self._copy_to = None
        return data


def pump(child, streams, emit):
    """Moves lines from the command to `emit(stdtype, line)` until it has ended and its outputs are closed or overdue."""
    selector = selectors.DefaultSelector()
    selector.register(child.wake, selectors.EVENT_READ, None)
    for stream in streams:
        selector.register(stream.pipe, selectors.EVENT_READ, stream)
    open_streams = list(streams)
    tick = time.monotonic() + 1.0
    end = None
    while child.code is None or (open_streams and time.monotonic() < end):
        limit = tick if end is None else min(tick, end)
        for key, _ in selector.select(max(0.0, limit - time.monotonic())):
            if key.data is None:
                os.read(child.wake, 4096)
                child.reap()
                if child.code is not None and end is None:
                    end = time.monotonic() + _PIPE_GRACE
                continue
            data = key.data.read()
            if not data:
                selector.unregister(key.data.pipe)
                open_streams.remove(key.data)
            for line in key.data.cutter.feed(data):
                emit(key.data.stdtype, line)
        if time.monotonic() >= tick:
            tick = time.monotonic() + 1.0
            for stream in open_streams:
                for line in stream.cutter.take_progress():
                    emit(stream.stdtype, line)
    for stream in streams:
        for line in stream.cutter.feed(b"", final=True):
            emit(stream.stdtype, line)


def run(child, command, copy_output, fields, spool):
    def emit(stdtype, line):
        spool.put(make_record(fields, stdtype, line))

    try:
        process = child.start(command)
    except (OSError, ValueError) as error:
        text = "cannot run %s: %s" % (command[0], error)
        say(text)
        spool.put(own_record(fields, text))
        return 127 if isinstance(error, FileNotFoundError) else 126
    streams = [
        Stream(process.stdout, "stdout", 1 if copy_output else None),
        Stream(process.stderr, "stderr", 2 if copy_output else None),
    ]
    pump(child, streams, emit)
    process.returncode = child.code  # reaped here, so Popen must not look for it
    return child.code


def read_environment(environ):
    """Returns (server, the fields of every line, seconds to wait after the end); ValueError says what is wrong."""
    server = server_of(environ)
    metadata = environ.get("DET_TASK_LOGGING_METADATA")
    if not metadata:
        raise ValueError("the environment variable DET_TASK_LOGGING_METADATA is not set")
    try:
        fields = json.loads(metadata)
    except ValueError:
        fields = None
    if not isinstance(fields, dict):
        raise ValueError("DET_TASK_LOGGING_METADATA is %r; a JSON object is needed" % metadata)
    fields.update(
        container_id=environ.get("DET_CONTAINER_ID", ""), agent_id=environ.get("DET_AGENT_ID", ""), source="task"
    )
    wait = environ.get("DET_LOG_WAIT_TIME") or "30"
    try:
        seconds = min(float(wait), _LONGEST_WAIT)
    except ValueError:
        raise ValueError("DET_LOG_WAIT_TIME is %r; a number of seconds is needed" % wait)
    return server, fields, seconds


def main(argv, environ):
    if len(argv) < 2:
        say("usage: ship_logs.py COMMAND [ARGUMENT...]")
        return _SHIPPER_FAILURE
    child = Child()
    try:
        server, fields, wait_seconds = read_environment(environ)
    except (ValueError, OSError) as error:
        say(error)
        return _SHIPPER_FAILURE
    spool = Spool()
    sender = Sender(server, spool, fields, say)
    sender.start()
    try:
        code = run(child, argv[1:], bool(environ.get("DET_SHIPPER_EMIT_STDOUT_LOGS")), fields, spool)
    finally:
        spool.close()
        sender.finish(wait_seconds)
    sender.join(wait_seconds + 1.0)
    if sender.undelivered():
        say("gave up %g s after the end of the command: %d log lines were not delivered" % (wait_seconds, sender.undelivered()))
    spool.remove_files()
    return code


if __name__ == "__main__":
    exit_code = main(sys.argv, os.environ)
    # Not sys.exit: a sender that is stuck in a request must not hold up the end of the pod.
    os._exit(exit_code)
