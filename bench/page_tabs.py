"""What browsers' tabs cost the server: python3 bench/page_tabs.py [--tabs 200] [--seconds 40]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin) with a search of four trials that report ten times a second each. `--tabs` streams of
GET /api/v1/live watch the search, each on a connection of its own. Processor time and resident memory of the server (not its database) without streams, with
streams that only listen (tabs in the background: they ask when they are seen), and with streams behind which a page in view asks for what changed, three
seconds after it asked last, as webui/src/live/refresh.ts does: the experiment, its trials, its metrics' names and the curves."""

import argparse
import asyncio
import base64
import json
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
from local import Local, wait_for  # noqa: E402

TRIALS = 4
CONFIG = {"name": "watched", "entrypoint": "python3 -ES report.py", "max_restarts": 0, "resources": {"slots_per_trial": 1},
          "searcher": {"name": "random", "metric": "validation_loss", "max_trials": TRIALS}, "hyperparameters": {"lr": {"type": "double", "minval": 0.1, "maxval": 1}}}
REPORT = """import http.client, json, os, time
host = os.environ["DET_MASTER"].split("//")[1]
connection = http.client.HTTPConnection(host)
trial = int(os.environ["DET_TRIAL_ID"])
for step in range(1, 1_000_000):
    body = {"metrics": {"trialId": trial, "trialRunId": int(os.environ["DET_TRIAL_RUN_ID"]), "stepsCompleted": step,
                        "metrics": {"avgMetrics": {"validation_loss": 1 / step}}}, "group": "validation"}
    connection.request("POST", f"/api/v1/trials/{trial}/metrics", json.dumps(body), {"Authorization": "Bearer " + os.environ["DET_SESSION_TOKEN"]})
    connection.getresponse().read()
    time.sleep(0.1)
"""


class Tab:
    """One stream; `asks` are the routes that a page in view asks for when something changed."""

    def __init__(self, port, token, topics, asks):
        self.port, self.token, self.asks = port, token, asks
        self.path = "/api/v1/live?" + "&".join(f"watch={topic}" for topic in topics)
        self.events = self.requests = 0
        self.is_changed = asyncio.Event()

    async def open(self, path):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\nConnection: keep-alive\r\n\r\n".encode())
        return reader, writer

    async def listen(self):
        reader, writer = await self.open(self.path)
        asking = asyncio.create_task(self.ask()) if self.asks else None
        try:
            while line := await reader.readline():
                if line.startswith(b"event: changed"):
                    self.events += 1
                    self.is_changed.set()
        finally:
            writer.close()
            if asking:
                asking.cancel()

    async def ask(self):
        while True:
            await self.is_changed.wait()
            self.is_changed.clear()
            for path in self.asks:
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\nConnection: close\r\n\r\n".encode())
                if "metrics-stream" in path:
                    while not (await reader.readline()).startswith(b"{"):
                        pass
                else:
                    await reader.read()
                writer.close()
                self.requests += 1
            await asyncio.sleep(3)


def spent(pid):
    """Seconds of processor, MiB resident."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines())
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(status["VmRSS"].split()[0]) / 1024


async def measure(name, pid, tabs, seconds, before):
    running = [asyncio.create_task(tab.listen()) for tab in tabs]
    await asyncio.sleep(5)
    cpu, begin = spent(pid)[0], time.monotonic()
    events, requests = sum(tab.events for tab in tabs), sum(tab.requests for tab in tabs)
    await asyncio.sleep(seconds)
    took = time.monotonic() - begin
    after, resident = spent(pid)
    cores = (after - cpu) / took
    rates = f"{(sum(tab.events for tab in tabs) - events) / took:.0f} events/s, {(sum(tab.requests for tab in tabs) - requests) / took:.0f} requests/s"
    more = "" if before is None else f" (+{cores - before[0]:.3f} cores, {resident - before[1]:+.1f} MiB)"
    print(f"{name:44} {cores:.3f} cores, {resident:.1f} MiB{more}; {rates}", flush=True)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    return cores, resident


async def compare(local, token, experiment, trials, arguments):
    topics = [f"experiment:{experiment}", "experiments", "queue"]
    asks = [f"/api/v1/experiments/{experiment}", f"/api/v1/experiments/{experiment}/trials?limit=500&sortBy=SORT_BY_ID&orderBy=ORDER_BY_DESC",
            f"/api/v1/experiments/metrics-stream/metric-names?ids={experiment}&periodSeconds=1",
            "/api/v1/trials/time-series?metricIds=validation.validation_loss&maxDatapoints=1000&" + "&".join(f"trialIds={trial}" for trial in trials)]
    pid = local.process.pid
    tabs = lambda their_asks: [Tab(local.port, token, topics, their_asks) for _ in range(arguments.tabs)]
    with open("/proc/loadavg", encoding="ascii") as load:
        print(f"load average {load.read().split()[0]}", flush=True)
    before = await measure("no tabs", pid, [], arguments.seconds, None)
    await measure(f"{arguments.tabs} streams", pid, tabs([]), arguments.seconds, before)
    await measure(f"{arguments.tabs} streams, each with a page in view", pid, tabs(asks), arguments.seconds, before)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tabs", type=int, default=200)
    parser.add_argument("--seconds", type=int, default=40)
    arguments = parser.parse_args()
    local = Local(slots=TRIALS)
    try:
        local.start("--blank-passwords")
        token = local.rest("POST", "/api/v1/auth/login", {"username": "determined", "password": ""}).json["token"]
        files = [{"path": "report.py", "content": base64.b64encode(REPORT.encode()).decode()}]
        answer = local.rest("POST", "/api/v1/experiments", {"config": json.dumps(CONFIG), "activate": True, "modelDefinition": files}, token)
        if answer.status != 200:
            raise SystemExit(f"POST /api/v1/experiments: {answer}")
        experiment = answer.json["experiment"]["id"]
        trials = lambda: local.rest("GET", f"/api/v1/experiments/{experiment}/trials", token=token).json["trials"]
        wait_for("all trials report", lambda: len(trials()) == TRIALS and all(trial["totalBatchesProcessed"] > 5 for trial in trials()))
        asyncio.run(compare(local, token, experiment, [trial["id"] for trial in trials()], arguments))
    finally:
        local.stop()
        local.remove()


if __name__ == "__main__":
    main()
