"""What takes checkpoints away in a pod, without the files: says which are gone, as the real program does."""

import asyncio
import json
import time

from http_wire import Connection, Refused

PATIENCE = 64.0  # seconds; the real one's tries take as long


class FakeRemoval:
    def __init__(self, port, env, reports):
        self.env, self.reports = env, reports
        self.link = Connection("127.0.0.1", port, {"Authorization": "Bearer " + env["DET_USER_TOKEN"]})

    async def run(self):
        """The exit code."""
        gone = json.loads(self.env["file:checkpoints_to_delete.json"])
        self.reports.removed.update(gone)
        body = {"checkpoints": [{"uuid": name, "resources": {"resources": {}}} for name in gone]}
        end = time.monotonic() + PATIENCE
        try:
            while True:
                try:
                    await self.link.call("PATCH", "/api/v1/checkpoints", body)
                    return 0
                except (OSError, EOFError):
                    if time.monotonic() > end:
                        return 1
                    await asyncio.sleep(0.5)
        except Refused as refused:
            self.reports.complaints.append(f"removal of {self.env['DET_GC_EXPERIMENT_ID']}: {refused}")
            return 1
        finally:
            self.link.close()
