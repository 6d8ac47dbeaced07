"""What browsers' tabs cost the server: python3 bench/page_tabs.py [--tabs 200] [--seconds 40]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin) with a search of four trials that report ten times a second each. `--tabs` streams of
GET /api/v1/live watch the search, each on a connection of its own. Processor time and resident memory of the server, and processor time of its database:
without streams, then what is added by streams that only listen (tabs in the background: they ask when they are seen), and by streams behind which the
experiment's page in view asks for what changed, three seconds after it asked last, as webui/src/live/refresh.ts does: the experiment, its metrics' names
and the curves, on a connection that stays open between answers as a browser's does."""

import argparse
import asyncio
import base64
import json
import pathlib
import re
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "local_mode"))
from local import Local, wait_for  # noqa: E402
from processor_time import seconds_of, seconds_of_database  # noqa: E402

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

    def request(self, path):
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode()

    async def open(self, path):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(self.request(path))
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
        reader = writer = None
        while True:
            await self.is_changed.wait()
            self.is_changed.clear()
            for path in self.asks:
                if writer is None:
                    reader, writer = await self.open(path)
                else:
                    writer.write(self.request(path))
                if await read_answer(reader):
                    writer.close()
                    writer = None
                self.requests += 1
            await asyncio.sleep(3)


async def read_answer(reader):
    """Reads an answer, of a stream its first line; whether the connection is of no more use."""
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith(b"http/1.1 200"):
        raise SystemExit(head.decode())
    length = re.search(rb"content-length: (\d+)", head)
    if not length:
        while not (await reader.readline()).startswith(b"{"):
            pass
        return True
    await reader.readexactly(int(length[1]))
    return b"connection: close" in head


def processor_seconds(local):
    """Of the server and of its database."""
    return [seconds_of(local.process.pid), seconds_of_database(local.data / "postgres/data")]


def resident_mib(pid):
    status = dict(line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines())
    return int(status["VmRSS"].split()[0]) / 1024


async def measure(name, local, tabs, seconds, before):
    running = [asyncio.create_task(tab.listen()) for tab in tabs]
    await asyncio.sleep(5)
    spent, begin = processor_seconds(local), time.monotonic()
    events, requests = sum(tab.events for tab in tabs), sum(tab.requests for tab in tabs)
    await asyncio.sleep(seconds)
    took = time.monotonic() - begin
    figures = [(after - earlier) / took for after, earlier in zip(processor_seconds(local), spent)] + [resident_mib(local.process.pid)]
    rates = f"{(sum(tab.events for tab in tabs) - events) / took:.0f} events/s, {(sum(tab.requests for tab in tabs) - requests) / took:.0f} requests/s"
    server, database, resident = figures if before is None else [after - earlier for after, earlier in zip(figures, before)]
    sign = "" if before is None else "+"
    print(f"{name:44} {server:{sign}.3f} cores, {resident:{sign}.1f} MiB; its database {database:{sign}.3f} cores; {rates}", flush=True)
    for task in running:
        task.cancel()
    await asyncio.gather(*running, return_exceptions=True)
    return figures


async def compare(local, token, experiment, arguments):
    asks = [f"/api/v1/experiments/{experiment}", f"/api/v1/experiments/metrics-stream/metric-names?ids={experiment}&periodSeconds=1",
            f"/api/v1/experiments/{experiment}/curves?metricId=validation.validation_loss&axis=batches"]
    tabs = lambda their_asks: [Tab(local.port, token, [f"experiment:{experiment}"], their_asks) for _ in range(arguments.tabs)]
    with open("/proc/loadavg", encoding="ascii") as load:
        print(f"load average {load.read().split()[0]}", flush=True)
    before = await measure("no tabs", local, [], arguments.seconds, None)
    await measure(f"{arguments.tabs} streams", local, tabs([]), arguments.seconds, before)
    await measure(f"{arguments.tabs} streams, each with a page in view", local, tabs(asks), arguments.seconds, before)


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
        asyncio.run(compare(local, token, experiment, arguments))
    finally:
        local.stop()
        local.remove()


if __name__ == "__main__":
    main()
