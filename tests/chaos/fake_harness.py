"""A trial of Determined 0.38 without the training: reports what a real one reports, and keeps what was acknowledged."""

import asyncio
import hashlib
import json
import time
import uuid

from http_wire import Connection, Refused

PATIENCE = 300.0  # seconds; the real one's twenty tries with their pauses take longer


def loss_after(hparams, steps):
    """The metric: the same in each run of the same trial."""
    digest = hashlib.sha256(json.dumps(hparams, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:4], "big") / 2**32 + 1.0 / steps


class Reports:
    """What all trials of all rounds did, as they know it."""

    def __init__(self):
        self.sent = {}          # (trial, group, steps) -> value, also when it was never answered
        self.acknowledged = []  # (trial, group, steps)
        self.checkpoints = []   # (trial, uuid)
        self.removed = set()    # uuids of checkpoints whose files were taken away
        self.complaints = []    # answers that a trial must never get


class FreeTiming:
    """Trials go on by themselves."""

    def __init__(self, pause):
        self.pause = pause

    async def next(self, _request_id, _steps):
        await asyncio.sleep(self.pause)
        return True

    async def may_exit(self, _request_id):
        return None


class FakeHarness:
    """One run of one trial. `validates` are the steps at which it validates; the last one is its end."""

    def __init__(self, port, env, validates, timing, reports):
        self.env, self.validates, self.timing, self.reports = env, validates, timing, reports
        self.port = port
        self.headers = {"Grpc-Metadata-x-allocation-token": "Bearer " + env["DET_SESSION_TOKEN"]}
        self.link = Connection("127.0.0.1", port, self.headers)
        self.trial = int(env["DET_TRIAL_ID"])
        self.request_id = env["DET_TASK_ID"].partition(".")[2]
        self.hparams = json.loads(env["DET_HPARAMS"])
        self.allocation = env["DET_ALLOCATION_ID"]
        self.preempted = asyncio.Event()

    async def call(self, method, path, body=None, link=None):
        """Tries again while connections are lost, as the real one; any answer but 200 ends the trial."""
        link = link or self.link
        end = time.monotonic() + PATIENCE
        pause = 0.05
        while True:
            try:
                return await link.call(method, "/api/v1/" + path, body)
            except (OSError, EOFError) as lost:
                if time.monotonic() > end:
                    raise Refused(0, f"no connection for {PATIENCE} s: {lost!r}") from None
                await asyncio.sleep(pause)
                pause = min(pause * 2, 1.0)

    async def run(self):
        """The exit code."""
        watcher = asyncio.ensure_future(self.watch_preemption())
        try:
            await self.train()
            return 0
        except Refused as refused:
            self.reports.complaints.append(f"trial {self.trial} ({self.allocation}): {refused}")
            return 1
        finally:
            watcher.cancel()
            self.link.close()

    async def train(self):
        await self.call("GET", f"allocations/{self.allocation}/resources/{self.env['DET_RESOURCES_ID']}/rendezvous")
        await self.call("POST", "runs/start", {"runId": self.trial, "checkpointStorage": {"type": "shared_fs"}})
        await self.call("GET", f"trials/{self.trial}")
        done = int(self.env["DET_STEPS_COMPLETED"])
        for steps in [each for each in self.validates if each > done]:
            if not await self.timing.next(self.request_id, steps):
                await self.preempted.wait()
            if self.preempted.is_set():
                await self.call("POST", f"allocations/{self.allocation}/signals/ack_preemption")
                await self.timing.may_exit(self.request_id)
                return
            await self.report("training", steps)
            await self.call("POST", f"trials/{self.trial}/progress", {"progress": steps / self.validates[-1], "is_raw": True})
            await self.checkpoint(steps)
            await self.report("validation", steps)
        await self.timing.may_exit(self.request_id)

    async def report(self, group, steps):
        value = loss_after(self.hparams, steps)
        self.reports.sent[self.trial, group, steps] = value
        average = {"avgMetrics": {"loss": value, "batches": steps}, "batchMetrics": None}
        await self.call("POST", f"trials/{self.trial}/metrics", {"group": group, "metrics": {
            "trialId": self.trial, "trialRunId": int(self.env["DET_TRIAL_RUN_ID"]), "stepsCompleted": steps, "reportTime": None, "metrics": average}})
        self.reports.acknowledged.append((self.trial, group, steps))

    async def checkpoint(self, steps):
        name = str(uuid.uuid4())
        await self.call("POST", "checkpoints", {
            "uuid": name, "taskId": self.env["DET_TASK_ID"], "allocationId": self.allocation, "state": "STATE_COMPLETED",
            "metadata": {"steps_completed": steps}, "resources": {"state": "1"}, "training": {}})
        self.reports.checkpoints.append((self.trial, name))

    async def watch_preemption(self):
        link = Connection("127.0.0.1", self.port, self.headers)
        try:
            while True:
                answer = await self.call("GET", f"allocations/{self.allocation}/signals/preemption?timeout_seconds=60", link=link)
                if answer["preempt"]:
                    self.preempted.set()
                    return
        except Refused:
            pass  # what is wrong is said by the calls of the training; this one may be late
        finally:
            link.close()
