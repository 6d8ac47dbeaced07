#!/usr/bin/env python3
"""A search of 1,000 trials (adaptive_asha, 64 at a time, 5 validations a trial) on a real API server, with kwok's pods, whose
programs are fake harnesses in this process; and beside it a bare client that makes the same writes to Kubernetes.
    scripts/stack.sh up --state DIR --no-agent --fake-nodes 13 --fake-class A100_NVLINK --master-config tests/kwok/master.yaml
    DET_E2E_STATE=DIR bench/search_cluster.py [--trials N] [--at-a-time N] [--pause SECONDS]
Between two validations every trial waits for `--pause`. What is written per trial is what the API server counted in the first run."""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import re
import ssl
import subprocess
import sys
import time
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "chaos"))
from fake_harness import FakeHarness, FreeTiming, Reports  # noqa: E402
from fake_kubelet import MERGE, FakeKubelet  # noqa: E402
from http_wire import Connection, Refused, whole_body  # noqa: E402
from bare_writes import CORE, OURS, Templates  # noqa: E402
from processor_time import seconds_of, seconds_of_database  # noqa: E402
from speed_stack import resident  # noqa: E402

STATE = pathlib.Path(os.environ.get("DET_E2E_STATE", "/nonexistent"))
VALIDATES = [1, 4, 16, 64, 256]
KEPT_TRIALS = 100  # finished Trial objects that an experiment keeps


class Harness(FakeHarness):
    """Reports validations only, and notes how long each took."""

    def __init__(self, *arguments, took):
        super().__init__(*arguments)
        self.took = took

    async def report(self, group, steps):
        if group != "validation":
            return
        began = time.monotonic()
        await super().report(group, steps)
        self.took.append(time.monotonic() - began)

    async def checkpoint(self, steps):
        return


class KwokPods(FakeKubelet):
    """Of pods that kwok calls Running: the program, and its end. Connections are used again, as by a kubelet."""

    def __init__(self, connect, program):
        super().__init__(connect, program)
        self.idle = []

    @contextlib.asynccontextmanager
    async def link(self):
        link = self.idle.pop() if self.idle else self.connect()
        yield link
        self.idle.append(link)

    def look(self, pod):
        meta, uid = pod["metadata"], pod["metadata"]["uid"]
        if meta.get("labels", {}).get("det-operator.dev/managed-by") and uid not in self.running and "deletionTimestamp" not in meta \
                and pod.get("status", {}).get("phase") == "Running":
            self.running[uid] = asyncio.ensure_future(self.run_pod(pod, pod["status"].get("podIP")))

    async def started(self, link, pod, ip):
        """kwok has said so."""

    async def remove(self, name, uid):
        """kwok does it."""


def connector():
    url = urllib.parse.urlparse((STATE / "cluster/conf/url").read_text().strip())
    tls = ssl.create_default_context(cafile=str(STATE / "cluster/pki/ca.crt"))
    tls.load_cert_chain(STATE / "cluster/pki/admin.crt", STATE / "cluster/pki/admin.key")
    return lambda: Connection(url.hostname, url.port, {"Accept": "application/json"}, tls)


def settings():
    return dict(re.findall(r"^export (\w+)='?([^'\n]*)'?$", (STATE / "env").read_text(), re.M))


def sql(query):
    done = subprocess.run(["psql", settings()["DET_DATABASE_URL"], "-v", "ON_ERROR_STOP=1", "-qAt", "-F", "\t"], input=query, capture_output=True,
                          text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def cpu_by_program():
    """CPU seconds so far of the database, of every other program of the stack that is alive, and of this one with its harnesses."""
    seconds = {"postgres": seconds_of_database(STATE / "postgres/data")}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
            name = (folder / "comm").read_text().strip()
            if folder.name == str(os.getpid()):
                name = "harnesses, client"
            elif str(STATE) not in line or name == "postgres":
                continue
            seconds[name] = seconds.get(name, 0) + seconds_of(folder.name)
        except OSError:
            continue  # gone meanwhile
    return seconds


def cpu_since(before, trials):
    """In words: ms a trial of each program."""
    used = {name: (now - before.get(name, 0)) / trials * 1000 for name, now in cpu_by_program().items()}
    return f"    CPU a trial, {sum(used.values()):.0f} ms: " + ", ".join(
        f"{name} {ms:.1f}" for name, ms in sorted(used.items(), key=lambda item: -item[1]) if ms >= 0.5)


async def metrics(connect):
    """Writes that the API server has answered: (verb, resource/subresource) -> count."""
    link = connect()
    link.headers = {"Accept": "text/plain"}
    _, headers = await link.send("GET", "/metrics")
    _, text = await whole_body(link.reader, headers)
    link.close()
    counts = {}
    for labels, value in re.findall(r"^apiserver_request_total\{([^}]*)\} (\S+)$", text.decode(), re.M):
        of = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        if of["verb"] in ("POST", "PUT", "PATCH", "APPLY", "DELETE") and of["resource"] in ("trials", "pods", "secrets", "events", "experiments"):
            name = of["resource"] + ("/" + of["subresource"] if of["subresource"] else "")
            counts[of["verb"], name] = counts.get((of["verb"], name), 0) + int(float(value))
    return counts


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000


async def own_run(connect, port, trials, at_a_time, pause):
    """Seconds, the writes, and templates of them."""
    reports, took = Reports(), []
    pods = KwokPods(connect, lambda env: Harness(port, env, VALIDATES, FreeTiming(pause), reports, took=took).run())
    watching = asyncio.ensure_future(pods.run())
    link = connect()
    name = f"search-{int(time.time())}"
    config = {"name": name, "entrypoint": "python3 train.py", "max_restarts": 0, "environment": {"image": "fake"},
              "resources": {"slots_per_trial": 1}, "reproducibility": {"experiment_seed": 1},
              "hyperparameters": {"lr": {"type": "double", "minval": 0.1, "maxval": 0.9}},
              "searcher": {"name": "adaptive_asha", "metric": "loss", "time_metric": "batches", "max_time": 256, "max_rungs": 5,
                           "max_trials": trials, "max_concurrent_trials": at_a_time}}
    size = "SELECT pg_database_size(current_database())"
    before, bytes_before, cpu_before = await metrics(connect), int(sql(size)[0][0]), cpu_by_program()
    began = time.monotonic()
    await link.call("POST", f"{OURS}/experiments", {"apiVersion": "det-operator.dev/v1alpha1", "kind": "Experiment", "metadata": {"name": name},
                                                     "spec": {"config": config}})
    most_pods, largest, status, running_status = 0, 0, {}, None
    while status.get("state") not in ("COMPLETED", "ERROR", "CANCELED"):
        await asyncio.sleep(0.5)
        most_pods = max(most_pods, sum(not task.done() for task in pods.running.values()))
        shown = await link.call("GET", f"{OURS}/experiments/{name}")
        largest, status = max(largest, len(json.dumps(shown))), shown.get("status", {})
        if running_status is None:
            listed = (await link.call("GET", f"{OURS}/trials?labelSelector=det-operator.dev/experiment%3D{name}"))["items"]
            running_status = next((trial["status"] for trial in listed if trial.get("status", {}).get("state") == "RUNNING"), None)
    seconds = time.monotonic() - began
    cpu = cpu_since(cpu_before, trials)
    after = await metrics(connect)
    watching.cancel()
    assert status["state"] == "COMPLETED" and not reports.complaints, f"{status} {reports.complaints[:3]}"
    # Not ours: what kwok and the harnesses say of pods, and the scheduler's bindings.
    writes = {key: (after[key] - before.get(key, 0)) / trials for key in sorted(after) if after[key] > before.get(key, 0)}
    grown = (int(sql(size)[0][0]) - bytes_before) / 2**20
    print(f"{trials} trials of adaptive_asha, {at_a_time} at a time, {pause} s between validations: {seconds:.1f} s, load {os.getloadavg()[0]:.0f}\n"
          f"    {len(took)} reports: p50 {percentile(took, .5):.1f} ms, p99 {percentile(took, .99):.1f} ms; at most {most_pods} running pods\n"
          f"    database {grown:.1f} MiB more; Experiment object at most {largest} bytes; operator {resident((STATE / 'operator.pid').read_text().strip()):.0f} MiB resident\n"
          f"{cpu}\n    writes a trial: " + ", ".join(f"{verb} {what} {count:.2f}" for (verb, what), count in writes.items() if count >= 0.005), flush=True)
    return seconds, writes, await Templates.of(link, name, running_status)


class BarePods(KwokPods):
    """Tells who waits that a pod runs."""

    def __init__(self, connect):
        super().__init__(connect, None)
        self.waiting = {}

    def look(self, pod):
        waiting = self.waiting.get(pod["metadata"]["name"])
        if waiting and not waiting.done() and pod.get("status", {}).get("phase") == "Running":
            waiting.set_result(pod)


async def bare_run(connect, trials, at_a_time, pause, writes, templates):
    """Seconds and CPU, for the same objects and as many writes, with the same pauses: nothing is decided, and nothing is in a database."""
    pods = BarePods(connect)
    watching = asyncio.ensure_future(pods.run())
    room = asyncio.Semaphore(at_a_time)
    done = []
    nodes = (await connect().call("GET", "/api/v1/nodes"))["items"]
    places = collections.deque(node["metadata"]["name"] for _ in range(8) for node in nodes if node["status"]["allocatable"].get("nvidia.com/gpu") == "8")

    def rate(verb, what):
        return writes.get((verb, what), 0)

    async def times(count, number, call):
        """A rate of 2.4 is 2 or 3 calls, depending on the trial's number."""
        for _ in range(int(count) + (number % 100 < count % 1 * 100)):
            await call()

    async def one(number):
        name = f"bare-{int(began)}-{number}"
        async with room, pods.link() as link:

            def say(index):
                return lambda: link.call("PATCH", f"{OURS}/trials/{name}/status", {"status": templates.statuses[index]}, MERGE)

            uid = (await link.call("POST", f"{OURS}/trials", templates.named("trials", name)))["metadata"]["uid"]
            says = rate("PATCH", "trials/status") + rate("APPLY", "trials/status") + rate("PUT", "trials/status")
            secret = (await link.call("POST", f"{CORE}/secrets", templates.named("secrets", name, uid)))["metadata"]["name"]
            node = places.popleft()
            pod = templates.pod_on(node, name, uid)
            waiting = pods.waiting[pod["metadata"]["name"]] = asyncio.get_running_loop().create_future()
            await link.call("POST", f"{CORE}/pods", pod)
            pod = await asyncio.wait_for(waiting, 300)
            await link.call("GET", f"{CORE}/secrets/{secret}")  # as whoever starts our pods does
            await times(says / 2, number, say(0))
            for _ in VALIDATES:
                await asyncio.sleep(pause)
            await pods.report(link, pod, {"phase": "Succeeded"}, {"terminated": {"exitCode": 0, "reason": "Completed"}})
            places.append(node)
            await times(says / 2, number, say(1))
            done.append(name)
            if len(done) > KEPT_TRIALS:  # its pod and Secret follow it
                await link.call("DELETE", f"{OURS}/trials/{done[-KEPT_TRIALS - 1]}")

    began, cpu_before = time.time(), cpu_by_program()
    await asyncio.gather(*(one(number) for number in range(trials)))
    seconds, cpu = time.time() - began, cpu_since(cpu_before, trials)
    watching.cancel()
    for what, where in (("trials", OURS), ("pods", CORE)):
        try:
            await connect().call("DELETE", f"{where}/{what}?labelSelector=bare%3Dyes&gracePeriodSeconds=0")
        except Refused:
            pass
    return seconds, cpu


async def run(arguments):
    connect = connector()
    port = int(settings()["DET_MASTER"].rsplit(":", 1)[1])
    with urllib.request.urlopen(f"{settings()['DET_MASTER']}/ready", timeout=10):
        pass
    seconds, writes, templates = await own_run(connect, port, arguments.trials, arguments.at_a_time, arguments.pause)
    bare, cpu = await bare_run(connect, arguments.trials, arguments.at_a_time, arguments.pause, writes, templates)
    print(f"a bare client with the same writes: {bare:.1f} s, load {os.getloadavg()[0]:.0f}: {seconds / bare:.2f} times as long\n{cpu}")


def main():
    if not STATE.exists():
        sys.exit("DET_E2E_STATE must name the state folder of a running scripts/stack.sh")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=1_000)
    parser.add_argument("--at-a-time", type=int, default=64)
    parser.add_argument("--pause", type=float, default=0.1)
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
