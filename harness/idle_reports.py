"""Tells the server every few seconds whether a notebook is idle, for as long as its process lives: idle_reports.py PID, of the parent.

Environment: NOTEBOOK_PORT, NOTEBOOK_IDLE_TYPE, DET_NOTEBOOK_TOKEN, DET_TASK_ID, and those of server_connection.py. What counts as
idle: kernels_or_terminals: there are none; kernel_connections: no browser is connected to a kernel; activity: no kernel is busy and
nothing has happened since the last look."""

import http.client
import json
import os
import ssl
import sys
import time
import urllib.parse

from own_port import bound_host
from server_connection import server_of

INTERVAL = 5.0
_TYPES = ("kernels_or_terminals", "kernel_connections", "activity")


def say(text):
    sys.stderr.write("%s\n" % text)
    sys.stderr.flush()


class Jupyter:
    """What the notebook server says about itself."""

    def __init__(self, environ):
        self._host = bound_host(environ)
        self._port = int(environ["NOTEBOOK_PORT"])
        self._prefix = "/proxy/%s/api/" % urllib.parse.quote(environ["DET_TASK_ID"])
        self._headers = {"Authorization": "token " + environ.get("DET_NOTEBOOK_TOKEN", "")}
        self._context = None
        if environ.get("DET_NOTEBOOK_TLS"):
            self._context = ssl.create_default_context()  # of this very pod: there is nobody to take it for
            self._context.check_hostname, self._context.verify_mode = False, ssl.CERT_NONE

    def get(self, what):
        """A list of kernels, terminals or sessions. An image may have terminals switched off: then there are none."""
        if self._context:
            connection = http.client.HTTPSConnection(self._host, self._port, timeout=10, context=self._context)
        else:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=10)
        try:
            connection.request("GET", self._prefix + what, headers=self._headers)
            response = connection.getresponse()
            body = response.read()
        finally:
            connection.close()
        if response.status == 404 and what == "terminals":
            return []
        if response.status != 200:
            raise ValueError("%s answered %d" % (what, response.status))
        return json.loads(body.decode())


class Judge:
    def __init__(self, idle_type):
        self._type = idle_type
        self._last_activity = None

    def is_idle(self, jupyter):
        kernels = jupyter.get("kernels")
        if self._type == "kernel_connections":
            return all(kernel["connections"] == 0 for kernel in kernels)
        terminals = jupyter.get("terminals")
        if self._type == "kernels_or_terminals":
            return not kernels and not terminals and not jupyter.get("sessions")
        before = self._last_activity
        if kernels or terminals:
            self._last_activity = max(each["last_activity"] for each in kernels + terminals)
        return all(kernel["execution_state"] != "busy" for kernel in kernels) and self._last_activity == before


def idle_type_of(environ):
    given = environ.get("NOTEBOOK_IDLE_TYPE") or _TYPES[0]
    if given.lower() in _TYPES:
        return given.lower()
    say("WARNING: notebook_idle_type is '%s'; there are %s, and the first is taken" % (given, ", ".join(_TYPES)))
    return _TYPES[0]


class Outage:
    """Says what does not work once, not every few seconds."""

    def __init__(self, what):
        self._what = what
        self._failures = 0

    def failed(self, problem):
        self._failures += 1
        if self._failures == 6:
            say("WARNING: %s: %s; trying on" % (self._what, problem))

    def worked(self):
        self._failures = 0


def main(parent, environ):
    jupyter = Jupyter(environ)
    judge = Judge(idle_type_of(environ))
    server = server_of(environ)
    task = environ["DET_TASK_ID"]
    path = "/api/v1/notebooks/%s/report_idle" % urllib.parse.quote(task)
    looking, reporting = Outage("cannot see whether the notebook is idle"), Outage("cannot report whether the notebook is idle")
    has_answered = False
    while os.getppid() == parent:
        try:
            idle = judge.is_idle(jupyter)
            has_answered = True
            looking.worked()
        except Exception as error:
            looking.failed("%s: %s" % (type(error).__name__, error))
            idle = False
        if has_answered:
            try:
                body = json.dumps({"notebookId": task, "idle": idle}).encode()
                status, _, answer = server.request("PUT", path, body, 30.0)
                if not 200 <= status < 300:
                    raise ValueError("the server answered %d %s" % (status, answer.decode("utf-8", "replace")[:200]))
                reporting.worked()
            except Exception as error:
                reporting.failed("%s: %s" % (type(error).__name__, error))
        # In short steps, because it ends with the notebook.
        until = time.monotonic() + (INTERVAL if has_answered else 1.0)
        while time.monotonic() < until and os.getppid() == parent:
            time.sleep(0.5)


if __name__ == "__main__":
    main(int(sys.argv[1]), os.environ)
