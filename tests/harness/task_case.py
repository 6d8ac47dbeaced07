"""What the tests of tasks that people start (notebooks, shells, commands, TensorBoards) have in common: a pod's folders and its
environment, and a server that answers what such a task asks."""

import base64
import io
import pathlib
import signal
import subprocess
import sys
import tarfile

from fake_server import FakeServer
from shipper_case import HARNESS, PYTHON, ShipperCase

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from waiting import free_port, is_alive, wait_for  # noqa: E402


def packed(*members):
    """A tar.gz of (name, text) or of TarInfo objects."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for each in members:
            if isinstance(each, tarfile.TarInfo):
                tar.addfile(each)
                continue
            member = tarfile.TarInfo(each[0])
            member.size, member.mode = len(each[1]), each[2] if len(each) > 2 else 0o644
            tar.addfile(member, io.BytesIO(each[1].encode()))
    return out.getvalue()


class FakeTaskServer(FakeServer):
    def __init__(self):
        super().__init__()
        self.archive = b""
        self.calls = []  # (method, path, body)

    def answer(self, method, path, body):
        self.calls.append((method, path, body))
        if path.endswith("/context_directory"):
            return {"b64Tgz": base64.b64encode(self.archive).decode()}
        if path == "/api/v1/me":
            return {"user": {"id": 1, "username": "determined"}}
        return {}

    def asked(self, method, path):
        """The bodies of such requests."""
        return [body for m, p, body in self.calls if (m, p) == (method, path)]

    def states(self):
        """What the task said of itself, in order."""
        return [path.rsplit("/", 1)[1] for _, path, _ in self.calls if path.endswith(("/ready", "/waiting"))]


class TaskCase(ShipperCase):
    harness = HARNESS

    def setUp(self):
        super().setUp()
        self.server.close()
        self.server = FakeTaskServer().start()
        self.addCleanup(self.server.close)
        self.run_dir = self.folder / "run"
        self.files = self.folder / "task-files"
        self.workdir = self.folder / "work"
        for folder in (self.run_dir, self.files, self.workdir):
            folder.mkdir()

    def pod_environment(self, task_type, **more):
        return dict(
            dict(
                DET_TASK_TYPE=task_type,
                DET_TASK_ID="t-1",
                DET_ALLOCATION_ID="t-1.1",
                DET_CLUSTER_ID="c",
                DET_SLOT_IDS="[]",
                DET_USER="determined",
                DET_USER_TOKEN="token-2",
                DET_RESOURCES_ID="t-1.1.0",
                DET_RESOURCES_TYPE="docker-container",
                DET_SEGMENT_ENABLED="false",
                DET_RUN_DIR=str(self.run_dir),
                DET_TASK_FILES=str(self.files),
                DET_BIND_ADDRESS="127.0.0.1",
                DET_PYTHON_EXECUTABLE=PYTHON,
                DET_SHIPPER_EMIT_STDOUT_LOGS="",
                HOME=str(self.workdir),
            ),
            **more
        )

    def boot(self, task_type, **env):
        """Starts the task; it is stopped as a pod is, with the test."""
        argv = ["/bin/sh", str(self.harness / "start.sh")]
        process = self.start_program(argv, cwd=self.workdir, **self.pod_environment(task_type, **env))
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(240)
            except subprocess.TimeoutExpired:
                process.kill()
                raise

    def run_task(self, task_type, **env):
        return self.finish(self.boot(task_type, **env))

    def lines(self):
        return [line.rstrip("\n") for line in self.server.lines()]

    def log(self):
        return "\n".join(self.lines())

    def wait_until_ready(self, process):
        def is_ready():
            if process.poll() is not None:
                raise AssertionError("the task ended with %s:\n%s" % (process.returncode, self.log()))
            return "ready" in self.server.states()

        wait_for(lambda: "the task is not ready:\n" + self.log(), is_ready)


__all__ = ["HARNESS", "PYTHON", "FakeTaskServer", "TaskCase", "free_port", "is_alive", "packed", "wait_for"]
