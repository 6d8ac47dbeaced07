#!/usr/bin/env python3
"""How fast a checkpoint comes through the server: bench/checkpoint_download.py [--mib 1024] [--rounds 3]

A checkpoint of random bytes in a folder (in the page cache), sent by `det-operator local` as zip, tar and tar.gz; beside them reading the same
files from the disk, past the cache, and `tar | gzip -1`. DET_OPERATOR_BIN names the program (default build/bin/det-operator)."""

import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "attacks"))
from server import Server  # noqa: E402

PIECE = 1 << 20


def fill(folder, mib, files=8):
    folder.mkdir()
    for number in range(files):
        with open(folder / f"weights-{number}.bin", "wb") as out:
            for _ in range(mib // files):
                out.write(os.urandom(PIECE))


def saved_checkpoint(server, token, root):
    job = server.waiting_run(token, {"checkpoint_storage": {"type": "shared_fs", "host_path": str(root)}})
    name = str(uuid.uuid4())
    body = {"uuid": name, "taskId": job.task, "allocationId": job.allocation, "reportTime": "2026-11-24T00:00:00Z",
            "state": "STATE_COMPLETED", "resources": {"weights-0.bin": 1}, "metadata": {"steps_completed": 1}}
    answer = server.http("POST", "/api/v1/checkpoints", job.session, body)
    assert answer.status == 200, answer
    return name


def download(server, token, name, kind):
    request = urllib.request.Request(f"{server.url}/checkpoints/{name}", headers={"Authorization": "Bearer " + token, "Accept": kind})
    with urllib.request.urlopen(request, timeout=600) as answer:
        while answer.read(PIECE):
            pass


def shell(command):
    subprocess.run(["bash", "-o", "pipefail", "-c", command], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    server = Server()
    root = pathlib.Path(tempfile.mkdtemp(prefix="det-bench-", dir="/var/tmp"))
    try:
        server.start()
        token = server.user("ann")
        name = saved_checkpoint(server, token, root)
        folder = root / name
        fill(folder, options.mib)
        ways = {"disk": lambda: shell(f"for file in {folder}/*; do dd if=$file of=/dev/null bs=1M iflag=direct status=none; done"),
                "as zip": lambda: download(server, token, name, "application/zip"),
                "as tar": lambda: download(server, token, name, "application/x-tar"),
                "tar | gzip -1": lambda: shell(f"tar -C {folder} -c . | gzip -1 > /dev/null"),
                "as tar.gz": lambda: download(server, token, name, "application/gzip")}
        before = server.resident()
        seconds = {way: [] for way in ways}
        for _ in range(options.rounds):
            for way, act in ways.items():
                start = time.monotonic()
                act()
                seconds[way].append(time.monotonic() - start)
        for way, took in seconds.items():
            print(f"{way:14} {options.mib / statistics.median(took):8.0f} MiB/s")
        print(f"the server grew from {before:.0f} to {server.resident():.0f} MiB; load {os.getloadavg()[0]:.1f}")
    finally:
        server.stop()
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
