#!/usr/bin/python3
"""A random search of many trials that end at once, on the embedded Kubernetes API: how long it takes, and what it leaves behind.

search_trials.py [--trials N] [--at-a-time N]; programs from $DET_BUILD/bin (default build/bin). The pods' programs do nothing, so all
of the time is the control plane's: operator, its PostgreSQL, the Kubernetes API with another, and a fake node, on the same cores."""

import argparse
import asyncio
import json
import os
import signal
import ssl
import subprocess
import sys
import threading
import time

from speed_stack import ROOT, Stack, resident, wait_for

sys.path.insert(0, str(ROOT / "tests" / "chaos"))
from fake_kubelet import FakeKubelet  # noqa: E402
from http_wire import Connection  # noqa: E402

KINDS = "/apis/det-operator.dev/v1alpha1/namespaces/default"


class Node:
    """The fake node and its event loop, in a thread of its own."""

    def __init__(self, kubeconfig):
        described = json.loads(kubeconfig.read_text())
        cluster, user = described["clusters"][0]["cluster"], described["users"][0]["user"]
        host, port = cluster["server"].removeprefix("https://").split(":")
        tls = ssl.create_default_context()
        tls.check_hostname = False
        tls.verify_mode = ssl.CERT_NONE
        self.connect = lambda: Connection(host, int(port), {"Authorization": "Bearer " + user["token"]}, tls)
        self.kubelet = FakeKubelet(self.connect, self.program)
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.wait(self.kubelet.register())
        self.background = asyncio.run_coroutine_threadsafe(self.keep_running(), self.loop)

    async def keep_running(self):
        self.task = asyncio.ensure_future(self.kubelet.run())  # a loop forgets tasks that nobody holds
        await self.task

    def wait(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(120)

    @staticmethod
    async def program(_):
        return 0

    def get(self, path):
        async def call():
            link = self.connect()
            try:
                return await link.call("GET", path)
            finally:
                link.close()
        return self.wait(call())


def create(stack, trials, at_a_time):
    config = {"name": "many", "entrypoint": "true", "max_restarts": 0, "environment": {"image": "fake"},
              "hyperparameters": {"lr": {"type": "double", "minval": 0.1, "maxval": 0.9}},
              "checkpoint_storage": {"type": "shared_fs", "host_path": "/tmp/ckpt"},
              "searcher": {"name": "random", "metric": "loss", "max_trials": trials, "max_concurrent_trials": at_a_time}}
    return stack.call("POST", "experiments", {"config": json.dumps(config), "activate": True})["experiment"]["id"]


def database_mib(stack):
    return int(stack.sql("SELECT pg_database_size('det')")[0][0]) / 2**20


def measure(stack, node, trials, at_a_time):
    before, spent = database_mib(stack), stack.cpu()
    began = time.monotonic()
    experiment = create(stack, trials, at_a_time)
    most_live, largest, said = 0, 0, began
    while True:
        objects = node.get(f"{KINDS}/trials")["items"]
        most_live = max(most_live, len(objects))
        largest = max(largest, len(json.dumps(node.get(f"{KINDS}/experiments/exp-{experiment}"))))
        state, done = stack.sql(f"SELECT e.state, (SELECT count(*) FROM trials t WHERE t.experiment_id = e.id AND t.state = 'COMPLETED') "
                                f"FROM experiments e WHERE e.id = {experiment}")[0]
        if time.monotonic() - said > 30:
            said = time.monotonic()
            print(f"    {said - began:6.0f} s: {done} trials over, {len(objects)} Trial objects, operator {resident(stack.operator.pid):.0f} MiB, "
                  f"Kubernetes API {resident(stack.api.pid):.0f} MiB", flush=True)
        if state != "ACTIVE":
            break
        time.sleep(1)
    seconds = time.monotonic() - began
    assert state == "COMPLETED" and int(done) == trials, f"{state} with {done} trials"
    left = wait_for("finished Trial objects are retired", lambda: len(node.get(f"{KINDS}/trials")["items"]) <= 100, 120)
    assert left
    operator, database = (after - earlier for after, earlier in zip(stack.cpu(), spent))
    grown = database_mib(stack) - before
    print(f"{trials} trials, {at_a_time} at a time: {seconds:.1f} s ({trials / seconds:.1f}/s), load {os.getloadavg()[0]:.0f}\n"
          f"    CPU per trial: operator {operator / trials * 1000:.1f} ms, PostgreSQL with both databases {database / trials * 1000:.1f} ms\n"
          f"    Experiment object at most {largest} bytes; Trial objects at most {most_live}, at the end "
          f"{len(node.get(f'{KINDS}/trials')['items'])}\n"
          f"    operator {resident(stack.operator.pid):.0f} MiB resident, Kubernetes API {resident(stack.api.pid):.0f} MiB; database {grown:.1f} MiB more, {grown * 2**20 / trials:.0f} bytes a trial")
    return experiment


def replay(stack, experiment):
    det = ROOT / os.environ.get("DET_BUILD", "build") / "bin/det"
    if not det.exists():
        return print(f"    replay: not run, {det} is not built")
    began = time.monotonic()
    done = subprocess.run([det, "-m", f"127.0.0.1:{stack.port}", "e", "replay", str(experiment)], capture_output=True, text=True, check=False,
                          env={**os.environ, "DET_USER": "admin", "DET_USER_TOKEN": stack.token})
    last = (done.stdout.splitlines() or [""])[-1] if done.returncode == 0 else done.stderr
    print(f"    replay: {time.monotonic() - began:.1f} s, {len(done.stdout) / 2**20:.1f} MiB: {last}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=1_000)
    parser.add_argument("--at-a-time", type=int, default=64)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the servers end with this program
    stack = Stack()
    try:
        stack.log_in()
        node = Node(stack.folder / "kubeconfig")
        experiment = measure(stack, node, arguments.trials, arguments.at_a_time)
        replay(stack, experiment)
        stack.operator.kill()
        stack.operator.wait()
        print(f"    after kill -9 it answers within {stack.start_operator():.1f} s")
    finally:
        stack.close()


if __name__ == "__main__":
    main()
