"""Brings the batches of a spool to the server: POST /api/v1/task/logs, again and again while the task runs."""

import random
import threading
import time

from log_lines import own_record

# The server may hold a request for 30 s while its database is away.
_REQUEST_TIMEOUT = 60.0
# Saying the same again cannot help these.
_REFUSALS = (400, 413, 415, 422)
_BACKOFF = (0.0, 1.0, 2.0, 5.0, 10.0, 15.0)


class Sender(threading.Thread):
    """Sends until the spool is closed and empty. `finish` sets the time after which it gives up; before that it never does.
    `complain` is told, once per outage, why nothing is delivered."""

    def __init__(self, server, spool, fields, complain):
        super().__init__(name="log-sender", daemon=True)
        self._server = server
        self._spool = spool
        self._fields = fields
        self._complain = complain
        self._finishing = threading.Event()
        self._deadline = None
        self._in_hand = 0
        self._refused, self._refusal = 0, ""

    def undelivered(self):
        """Number of lines that the server has not taken."""
        return self._in_hand + self._spool.waiting()

    def run(self):
        while True:
            batch = self._spool.take()
            if batch is None:
                if self._refused:
                    self._deliver([self._refused_record()])
                return
            dropped, records = batch
            if dropped:
                text = "%d log lines were dropped here: the server could not be reached and the spool was full" % dropped
                records = [own_record(self._fields, text)] + records
            if self._refused:
                records = [self._refused_record()] + records
            self._in_hand = len(records)
            if records and not self._deliver(records):
                return
            self._in_hand = 0

    def _refused_record(self):
        text = "%d log lines are missing here: the server refused them (%s)" % (self._refused, self._refusal)
        self._refused = 0
        return own_record(self._fields, text)

    def finish(self, seconds):
        self._deadline = time.monotonic() + seconds
        self._finishing.set()

    def _deliver(self, records):
        """False if the time after the end of the task is over, or if its token has died."""
        body = b'{"logs":[' + b",".join(records) + b"]}"
        path = "/api/v1/task/logs"
        attempt = 0
        while True:
            timeout = min(_REQUEST_TIMEOUT, self._time_left())
            if timeout <= 0:
                return False
            finishing = self._finishing.is_set()
            pause = 0.0
            try:
                status, pause = self._server.post(path, body, timeout)
                if 200 <= status < 300:
                    return True
                problem = "status %d" % status
                if status == 413 and len(records) > 1:  # a proxy's limit
                    half = len(records) // 2
                    return self._deliver(records[:half]) and self._deliver(records[half:])
                if status in _REFUSALS:
                    self._refused, self._refusal = self._refused + len(records), problem
                    self._complain("the server refused %d log lines: %s" % (len(records), problem))
                    return True
                if status == 401 and finishing:
                    return False
            except Exception as error:  # whatever it is, the task must go on
                problem = "%s: %s" % (type(error).__name__, error)
            # The server may have kept the lines and been killed before it could say so: it looks for them now.
            path = "/api/v1/task/logs?retry=true"
            if attempt == 2:
                self._complain("cannot deliver logs yet (%s); keeping them and trying on" % problem)
            self._wait(max(pause, _BACKOFF[min(attempt, len(_BACKOFF) - 1)]))
            attempt += 1

    def _time_left(self):
        return _REQUEST_TIMEOUT if self._deadline is None else self._deadline - time.monotonic()

    def _wait(self, seconds):
        seconds *= random.uniform(0.8, 1.2)
        if not self._finishing.is_set():
            self._finishing.wait(seconds)  # the end of the task is a reason to try again at once
        else:
            time.sleep(max(0.0, min(seconds, 2.0, self._time_left())))
