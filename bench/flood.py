"""What a flood does to everybody else: python3 bench/flood.py [--seconds N] [--strangers 100] [--users 20]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin) with a running trial that reports and a second user who lists, first alone, then while the
strangers (clients without tokens) and the users (20 connections with one ordinary user's token) each do their worst in turn: wrong and huge logins, uploads
nobody asked for, slow heads, idle connections, unknown paths; log searches with costly patterns, long lists, large configurations to check,
forged and huge reports. Attackers are processes of their own, so the two cores are shared with them. Prints the times of reports and lists, the
operator's memory and whether it kept its lease."""

import argparse
import json
import multiprocessing
import pathlib
import random
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "attacks"))
from server import Server  # noqa: E402

COSTLY = "(a%2B)%2B%24"
PROCESSES = 4


def request(method, path, body=b"", token="", length=None, close=True):
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n" + (f"Authorization: Bearer {token}\r\n" if token else "") + ("Connection: close\r\n" if close else "")
    return (head + f"Content-Length: {len(body) if length is None else length}\r\n\r\n").encode() + body


def of_strangers(server):
    def idle():
        with server.raw_socket() as connection:
            connection.settimeout(20)
            connection.recv(1)

    def slow():
        with server.raw_socket(b"GET / HTTP/1.1\r\n") as connection:
            for _ in range(10):
                connection.sendall(b"X: y\r\n")
                time.sleep(1)

    wrong = json.dumps({"username": "admin", "password": "0" * 128, "isHashed": True}).encode()
    return [lambda: server.exchange(request("POST", "/api/v1/auth/login", wrong)),
            lambda: server.exchange(request("POST", "/api/v1/auth/login", b"[" * 65536, length=8 << 20)),
            lambda: server.exchange(request("POST", "/api/v1/experiments", b"x" * (1 << 20), length=100 << 20)),
            lambda: server.exchange(request("GET", "/nobody/serves/this")),
            lambda: server.exchange(request("GET", "/api/v1/experiments", token="stolen")),
            lambda: server.exchange(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000),
            idle, slow]


def of_users(server, token, trial):
    large = json.dumps({"config": "hyperparameters:\n" + "".join(f"  h{i}: {i}\n" for i in range(60000)), "validateOnly": True}).encode()
    files = json.dumps({"config": "name: x", "modelDefinition": [{"path": "f", "type": 48, "content": "A" * (24 << 20)}]}).encode()
    report = json.dumps({"checkpoints": [{"uuid": f"00000000-0000-4000-8000-{i:012d}", "resources": {"resources": {"f": "1"}}} for i in range(50000)]}).encode()
    search = json.dumps({"config": json.dumps({"name": "x", "entrypoint": "x", "hyperparameters": {"lr": {"type": "double", "minval": 0, "maxval": 1}},
                                               "searcher": {"name": "random", "metric": "loss", "max_length": {"batches": 1}, "max_trials": 100000}}), "seed": 1}).encode()
    return [lambda: server.exchange(request("GET", f"/api/v1/trials/{trial}/logs?searchText={COSTLY}&enableRegex=true", token=token)),
            lambda: server.exchange(request("GET", "/api/v1/experiments?limit=100000", token=token)),
            lambda: server.exchange(request("POST", "/api/v1/experiments", large, token)),
            lambda: server.exchange(request("POST", "/api/v1/experiments", files, token)),
            lambda: server.exchange(request("PATCH", "/api/v1/checkpoints", report, token)),
            lambda: server.exchange(request("POST", "/api/v1/preview-hp-search", search, token)),
            lambda: server.exchange(request("POST", f"/api/v1/trials/{trial}/metrics", b'{"metrics":' + b" " * (4 << 20) + b"0}", token))]


def attack(port, kind, clients, ends, counts, token, trial):
    """A process: `clients` threads, each doing its worst in turn."""
    server = Server.__new__(Server)
    server.port, server.url = port, f"http://127.0.0.1:{port}"
    attacks = of_users(server, token, trial) if kind == "users" else of_strangers(server)

    def client(number):
        turn = random.Random(number).randrange(len(attacks))
        while not ends.is_set():
            try:
                attacks[turn % len(attacks)]()
            except OSError:
                time.sleep(0.01)
            turn += 1
            with counts.get_lock():
                counts.value += 1

    threads = [threading.Thread(target=client, args=(number,), daemon=True) for number in range(clients)]
    for thread in threads:
        thread.start()
    ends.wait()


def percentiles(taken):
    ordered = sorted(taken)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000
    return f"p50 {statistics.median(ordered) * 1000:7.1f} ms   p99 {at(0.99):7.1f} ms   slowest {ordered[-1] * 1000:7.1f} ms   ({len(ordered)} calls)"


def measure(server, run, lister, seconds):
    """Reports of the trial ten times a second, lists of the second user five times a second; [reports], [lists], peak memory."""
    ends = time.monotonic() + seconds
    reports, lists, peak = [], [], [0.0]
    wrong = []

    def repeat(taken, pause, call):
        while time.monotonic() < ends:
            start = time.monotonic()
            answer = call()
            taken.append(time.monotonic() - start)
            if answer.status != 200:
                wrong.append(repr(answer))
            time.sleep(max(0, pause - (time.monotonic() - start)))

    def report():
        measure.step += 1
        body = {"group": "training", "metrics": {"trialId": run.trial, "trialRunId": 1, "stepsCompleted": measure.step, "metrics": {"avgMetrics": {"loss": 0.5}}}}
        return server.http("POST", f"/api/v1/trials/{run.trial}/metrics", run.session, body)

    def watch():
        while time.monotonic() < ends:
            peak[0] = max(peak[0], server.resident())
            time.sleep(0.1)

    threads = [threading.Thread(target=repeat, args=(reports, 0.1, report)),
               threading.Thread(target=repeat, args=(lists, 0.2, lambda: server.http("GET", "/api/v1/experiments?limit=50", lister))),
               threading.Thread(target=watch)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return reports, lists, peak[0], wrong


measure.step = 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--strangers", type=int, default=100)
    parser.add_argument("--users", type=int, default=20)
    arguments = parser.parse_args()
    server = Server()
    server.start()
    try:
        compare(server, arguments)
    finally:
        server.stop()


def compare(server, arguments):
    run = server.waiting_run(server.user("ann"), {"name": "training"})
    lister, attacker = server.user("bob"), server.user("mallory")
    for number in range(30):
        server.create(server.user("ann"), {"name": f"one of {number}"})
    print(f"a process of {server.resident():.0f} MiB")
    for name, clients in (("alone", 0), ("in the flood", 1)):
        ends, counts = multiprocessing.Event(), multiprocessing.Value("L", 0)
        started = []
        if clients:
            shares = [("strangers", arguments.strangers // PROCESSES)] * PROCESSES + [("users", arguments.users)]
            started = [multiprocessing.Process(target=attack, args=(server.port, kind, share, ends, counts, attacker, run.trial), daemon=True) for kind, share in shares]
            for process in started:
                process.start()
            time.sleep(3)
        reports, lists, peak, wrong = measure(server, run, lister, arguments.seconds)
        ends.set()
        for process in started:
            process.join(5)
            process.kill()
        print(f"{name}: {counts.value} attacks\n  reports {percentiles(reports)}\n  lists   {percentiles(lists)}\n  memory  at most {peak:.0f} MiB"
              + (f"\n  {len(wrong)} calls were refused: {wrong[0]}" if wrong else ""))
    server.kill(server.user("ann"), run.experiment)
    kept = server.metric("det_operator_leader") == 1 and "lost the lease" not in server.log()
    print(f"the lease: {'kept' if kept else 'lost'}; requests of more than 20 ms on the io thread: {server.metric('det_io_thread_long_requests_total'):.0f}")
    for line in server.http("GET", "/metrics").text.splitlines():
        if line.startswith("det_io_thread_long_requests_total") and not line.endswith(" 0"):
            print("  " + line)


if __name__ == "__main__":
    main()
