"""A FakeServer that also answers what one trial of determined 0.38.1 asks, and remembers what the trial reports."""

import base64
import io
import re
import tarfile

from fake_server import FakeServer


class FakeMaster(FakeServer):
    """`context` are the files of the model (name -> text); `preempt` becomes true at the given number of training reports."""

    def __init__(self, context, preempt_after=None):
        super().__init__()
        self._context = context
        self._preempt_after = preempt_after
        self.calls = []

    def metrics(self, group):
        reports = [body["metrics"] for path, body in self.calls if path.endswith("/metrics") and body["group"] == group]
        return [(report["stepsCompleted"], report["metrics"]["avgMetrics"]) for report in reports]

    def checkpoints(self):
        return [body for path, body in self.calls if path == "/api/v1/checkpoints"]

    def answer(self, method, path, body):
        self.calls.append((path.split("?")[0], body))
        if path.endswith("/context_directory"):
            return {"b64Tgz": base64.b64encode(self._archive()).decode()}
        if path.endswith("/rendezvous"):
            return {"rendezvousInfo": {"addresses": ["127.0.0.1"], "rank": 0, "slots": [1]}}
        if "/signals/preemption" in path:
            return {"preempt": self._wait_for_preemption(int(re.search(r"timeout_seconds=(\d+)", path).group(1)))}
        if path == "/api/v1/me":
            return {"user": {"id": 1, "username": "determined"}}
        return {"storageId": 1} if path == "/api/v1/runs/start" else {}

    def _archive(self):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            for name, text in self._context.items():
                member = tarfile.TarInfo(name)
                member.size = len(text)
                tar.addfile(member, io.BytesIO(text.encode()))
        return packed.getvalue()

    def _wait_for_preemption(self, seconds):
        def reached():
            return self._preempt_after is not None and len(self.metrics("training")) >= self._preempt_after

        with self._changed:
            return bool(self._changed.wait_for(reached, timeout=seconds))
