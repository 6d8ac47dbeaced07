#!/usr/bin/env python3
"""Prints what local mode holds in memory after much use: bench/busy_day.py [--experiments 65] [--uploads 6] [--program build/bin/det-operator]

Uploads of 94 MB, experiments that train, a million lines of logs and a client that reads it all; after each of them, and after a minute of
rest, the resident set of det-operator's own process (the Kubernetes API and the agent are in it) and what of it is anonymous, in MiB."""

import argparse
import base64
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "local_mode"))
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--experiments", type=int, default=65)
parser.add_argument("--uploads", type=int, default=6)
parser.add_argument("--lines", type=int, default=1_000_000)
parser.add_argument("--program")
arguments = parser.parse_args()
if arguments.program:
    os.environ["DET_OPERATOR_BIN"] = str(pathlib.Path(arguments.program).resolve())

from local import Local, example_object, wait_for  # noqa: E402

UPLOAD = 94_000_000  # bytes of the request
CONFIG = """name: {name}
entrypoint: {entrypoint}
resources: {{slots_per_trial: 1}}
searcher: {{name: single, metric: loss, max_length: {{batches: 1}}}}
max_restarts: 0
"""


def show(local, when):
    status = pathlib.Path(f"/proc/{local.process.pid}/status").read_text()
    resident, anonymous = (int(status.split(f"{name}:")[1].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))
    print(f"{when}: {resident:.0f} MiB, of which {anonymous:.0f} anonymous", flush=True)


def ended(local):
    return int(local.sql("SELECT count(*) FROM experiments WHERE end_time IS NOT NULL")[0][0])


def create(local, token, body):
    answer = local.rest("POST", "/api/v1/experiments", body, token)
    if answer.status != 200:
        raise AssertionError(answer)
    return answer.json["experiment"]["id"]


def upload(local, token, number):
    """It is not started: the archive of its files is as large as the request lets it be, and no two are alike."""
    content = base64.b64encode(os.urandom(UPLOAD * 3 // 4)).decode()
    config = CONFIG.format(name=f"upload-{number}", entrypoint="'true'")
    create(local, token, {"config": config, "activate": False, "modelDefinition": [{"path": "data.bin", "type": 48, "content": content}]})


def read(local, token, path):
    answer = local.rest("GET", f"/api/v1/{path}", token=token)
    if answer.status != 200:
        raise AssertionError(path, answer)
    return answer.text


def read_all(local, token):
    """How many lines of logs there were."""
    lines = 0
    for page in ("experiments?limit=100", "workspaces", "models", "job-queues-v2", "agents", "tasks"):
        read(local, token, page)
    for (trial,) in local.sql("SELECT id FROM trials ORDER BY id"):
        for page in (f"trials/{trial}", f"trials/{trial}/checkpoints"):
            read(local, token, page)
        lines += read(local, token, f"trials/{trial}/logs?limit=0").count("\n")
    for (experiment,) in local.sql("SELECT id FROM experiments ORDER BY id"):
        read(local, token, f"experiments/{experiment}")
    return lines


local = Local(slots=2)
local.start()
token = local.token()
time.sleep(5)
show(local, "idle")
begin = time.monotonic()
for number in range(arguments.uploads):
    upload(local, token, number)
show(local, f"after {arguments.uploads} uploads of 94 MB, {time.monotonic() - begin:.0f} s")
begin = time.monotonic()
for number in range(arguments.experiments):
    local.kubectl("apply", "-f", "-", stdin=example_object("core_api", f"day-{number}", reports=10, sleep=0.05))
wait_for("all experiments are through", lambda: ended(local) == arguments.experiments, 3600)
show(local, f"after {arguments.experiments} experiments, {time.monotonic() - begin:.0f} s")
begin = time.monotonic()
noisy = create(local, token, {"config": CONFIG.format(name="noisy", entrypoint=f"seq 1 {arguments.lines}"), "activate": True, "modelDefinition": []})
wait_for("the noisy one is through", lambda: local.sql(f"SELECT end_time IS NOT NULL FROM experiments WHERE id = {noisy}") == [["t"]], 3600)
show(local, f"after a log of {arguments.lines:,} lines, {time.monotonic() - begin:.0f} s")
begin = time.monotonic()
lines = read_all(local, token)
show(local, f"after all of it was read, {lines:,} lines of logs among it, {time.monotonic() - begin:.0f} s")
time.sleep(60)
show(local, "after a minute of rest")
local.stop()
local.remove()
