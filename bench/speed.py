#!/usr/bin/env python3
"""How fast det-operator takes what trials report, beside Determined 0.38.1's figures: bench/speed.py [NAME...]; no NAME runs all.

Needs `cmake --preset release -DDET_BENCH=ON` with the targets det-operator, api_load and kube_api_server. Each bench starts a PostgreSQL,
an embedded Kubernetes API and det-operator of its own; all of it and the load share this machine. docs/benchmarks.md says what is measured."""

import argparse
import concurrent.futures
import http.client
import json
import os
import re
import ssl
import time

from speed_stack import Stack, resident, wait_for

CONFIG = """
name: {name}
entrypoint: python3 train.py
resources: {{slots_per_trial: 1}}
hyperparameters: {{x: {{type: double, minval: 0, maxval: 1}}}}
searcher: {searcher}
"""
# As measured on two cores like these, with a Go client (docs/benchmarks.md).
DETERMINED = {
    "reports256": "148-507 reports/s, p99 1093-1733 ms, 526-630 B, 2000 + 6600 us CPU",
    "reports1": "313 reports/s",
    "reports256-slowfsync": "not measured",
    "pause256": "first 310, last 538-595 ms",
    "pause1000": "not measured",
    "logs-in": "19,300-29,900 lines/s, 334-348 B/line",
    "logs-small": "the same rows: 334-348 B/line",
    "logs-out": "16,000-25,600 lines/s",
    "log-tail": "53-80 ms",
    "log-search": "186-219 ms",
    "list": "p50 262 ms",
    "memory": "85 MiB idle, 425-716 MiB at 256 trials",
    "paused10000": "1093 MiB; no answer within 40 s of a restart",
    "create200": "21.9-27.3/s; all pods exist after 25.8-28.9 s",
}
BENCHES = {}


def bench(function):
    BENCHES[function.__name__.replace("_", "-")] = function
    return function


def show(name, text):
    print(f"{name}\n    det-operator: {text}\n    Determined:   {DETERMINED[name]}\n    load average {os.getloadavg()[0]:.1f}", flush=True)


def load_with_cpu(stack, unit, count, *arguments):
    """api_load's line, with the CPU time that each of `count(line)` units cost."""
    before = stack.cpu()
    line = stack.load(*arguments)
    used = [after - b for after, b in zip(stack.cpu(), before)]
    units = max(1, count(line))
    return f"{line}; CPU us per {unit}: det-operator {used[0] / units * 1e6:.0f}, PostgreSQL {used[1] / units * 1e6:.0f}"


def number_after(word):
    return lambda line: int(re.search(word + r" (\d+)", line).group(1))


def reports(name, stack, trials, seconds):
    tasks = stack.make_trials(trials)
    best = []
    for _ in range(3):
        line = load_with_cpu(stack, "report", number_after("acknowledged"), "reports", tasks, seconds)
        rows, size = stack.sql("SELECT count(*), pg_total_relation_size('metrics') FROM metrics")[0]
        best.append((float(line.split()[0]), f"{line}; {int(size) / int(rows):.0f} B/report, {rows} rows; RSS {resident(stack.operator.pid):.0f} MiB"))
        stack.sql("TRUNCATE metrics")
    show(name, max(best)[1] + "\n    all runs:     " + ", ".join(f"{rate:.0f}/s" for rate, _ in best))


@bench
def reports256(stack):
    reports("reports256", stack, 256, 5)


@bench
def reports1(stack):
    reports("reports1", stack, 1, 5)


@bench
def reports256_slowfsync(stack):
    reports("reports256-slowfsync", stack, 256, 5)


def create(stack, name, trials=1, activate=True):
    searcher = {"name": "single", "metric": "loss"}
    if trials > 1:
        searcher = {"name": "random", "metric": "loss", "max_trials": trials, "max_concurrent_trials": trials}
    body = {"config": CONFIG.format(name=name, searcher=json.dumps(searcher)), "activate": activate, "modelDefinition": []}
    return stack.call("POST", "experiments", body)["experiment"]["id"]


def pause(name, stack, trials):
    stack.log_in()
    add_node(stack)
    begin = time.monotonic()
    experiment = create(stack, "pause", trials)
    query = f"SELECT count(*) FROM allocations a JOIN trials t ON t.id = a.trial_id WHERE t.experiment_id = {experiment} AND a.ended_at IS NULL"
    wait_for("every trial has an allocation", lambda: int(stack.sql(query)[0][0]) == trials, 600, 0.2)
    wait_for("every pod exists", lambda: len(pods(stack)) >= trials, 600, 0.5)
    started = time.monotonic() - begin
    rows = stack.sql(f"""UPDATE allocations a SET token_hash = sha256(convert_to('bench-' || a.id, 'UTF8')), state = 'RUNNING', ready_at = now()
        FROM trials t JOIN tasks k ON k.number = t.task_number WHERE t.id = a.trial_id AND t.experiment_id = {experiment} AND a.ended_at IS NULL
        RETURNING t.id, k.id, a.id, 'bench-' || a.id""")
    path = stack.folder / "polls"
    path.write_text("\n".join(" ".join(row) for row in rows) + "\n")
    line = load_with_cpu(stack, "poll", lambda _: trials, "polls", path, f"/api/v1/experiments/{experiment}/pause", stack.token)
    show(name, f"{line}; {trials} trials had their pods after {started:.1f} s")


@bench
def pause256(stack):
    pause("pause256", stack, 256)


@bench
def pause1000(stack):
    pause("pause1000", stack, 1000)


@bench
def logs_in(stack):
    tasks = stack.make_trials(8)
    runs = []
    for _ in range(3):
        line = load_with_cpu(stack, "line", number_after("lines"), "logs", tasks, 50, 1000)
        runs.append((float(line.split()[0]), line))
    size, lines = stack.sql("SELECT pg_total_relation_size('task_log_chunks'), sum(n) FROM task_log_chunks")[0]
    show("logs-in", f"{max(runs)[1]}; {int(size) / int(lines):.0f} B/line; RSS {resident(stack.operator.pid):.0f} MiB"
         "\n    all runs:     " + ", ".join(f"{rate:.0f}/s" for rate, _ in runs))


@bench
def logs_small(stack):
    """Posts of ten lines, as harnesses flush every second: what is left after the chunks were merged."""
    tasks = stack.make_trials(64)
    line = load_with_cpu(stack, "line", number_after("lines"), "logs", tasks, 100, 10)

    def state():
        chunks, lines, bytes_now = stack.sql("VACUUM task_log_chunks; SELECT count(*), sum(n), pg_total_relation_size('task_log_chunks') "
                                             "FROM task_log_chunks")[0]
        return int(chunks), int(bytes_now) / int(lines)

    wait_for("the chunks are merged", lambda: state()[0] <= 64 * 4, 120, 1)
    chunks, file_bytes = state()
    stack.sql("VACUUM FULL task_log_chunks")
    _, live_bytes = state()
    show("logs-small", f"{line}; then {chunks} chunks, {live_bytes:.0f} B/line (files, with room for reuse: {file_bytes:.0f})")


def with_log(stack):
    tasks = stack.make_trials(1)
    print("    (made:", stack.load("logs", tasks, 100, 1000) + ")")
    trial, _, _, token = tasks.read_text().split()
    return f"/api/v1/trials/{trial}/logs", token + "-user"  # DET_USER_TOKEN: the other one only reports


@bench
def logs_out(stack):
    path, token = with_log(stack)
    show("logs-out", load_with_cpu(stack, "line", lambda _: 500_000, "get", token, path, 5))


@bench
def log_tail(stack):
    path, token = with_log(stack)
    show("log-tail", stack.load("get", token, path + "?limit=100&orderBy=ORDER_BY_DESC", 50))


@bench
def log_search(stack):
    path, token = with_log(stack)
    show("log-search", stack.load("get", token, path + "?searchText=epoch%2042%20batch%20777/", 20))


@bench
def list(stack):  # noqa: A001
    """10,000 experiments with configurations of 3 kB and a trial each."""
    tasks = stack.make_trials(1)
    stack.sql("""INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, context_kind)
        SELECT gen_random_uuid(), 1, 1, 'COMPLETED', config || jsonb_build_object('pad', (SELECT array_agg(md5(i::text || g)) FROM
        generate_series(1, 80) i)), '', '', 'e' || g, 'none' FROM generate_series(1, 9999) g, experiments e;
        INSERT INTO tasks (id, type) SELECT 'x' || g, 'TRIAL' FROM generate_series(1, 9999) g;
        INSERT INTO trials (id, experiment_id, request_id, task_number, state, hparams, seed, run)
        SELECT e.id, e.id, gen_random_uuid(), k.number, 'COMPLETED', '{}', 1, 1 FROM experiments e JOIN tasks k ON k.id = 'x' || (e.id - 1);
        VACUUM ANALYZE""")
    token = tasks.read_text().split()[3] + "-user"
    newest = "/api/v1/experiments?limit=20&sortBy=SORT_BY_ID&orderBy=ORDER_BY_DESC"
    show("list", load_with_cpu(stack, "list", lambda _: 200, "get", token, newest, 200)
         + "\n    not archived: " + stack.load("get", token, newest + "&archived=false", 100)
         + "\n    8 clients:    " + stack.load("get", token, newest, 400, 8)
         + "\n    all of them:  " + stack.load("get", token, "/api/v1/experiments", 1))


@bench
def memory(stack):
    time.sleep(5)
    idle = resident(stack.operator.pid)
    tasks = stack.make_trials(256)
    stack.load("reports", tasks, 5)
    reports_rss = resident(stack.operator.pid)
    stack.load("logs", tasks, 4, 1000)
    show("memory", f"RSS {idle:.0f} MiB idle, {reports_rss:.0f} MiB after 5 s of reports from 256 trials, "
         f"{resident(stack.operator.pid):.0f} MiB after 1,024,000 log lines from them")


def kube(stack):
    """A connection to the Kubernetes API and the headers it wants."""
    config = json.loads((stack.folder / "kubeconfig").read_text())
    host, port = config["clusters"][0]["cluster"]["server"].removeprefix("https://").split(":")
    token = config["users"][0]["user"]["token"]
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, int(port), context=context, timeout=120), {"Authorization": f"Bearer {token}"}


def kube_call(connection, method, path, body=None):
    link, headers = connection
    link.request(method, path, json.dumps(body) if body is not None else None, headers | {"Content-Type": "application/json"})
    with link.getresponse() as answer:
        return json.loads(answer.read())


def add_node(stack):
    """One node with room for everything: gangs wait for room, and nothing runs these pods."""
    size = {"cpu": "100k", "memory": "1Pi", "pods": "100k", "nvidia.com/gpu": "100k"}
    status = {"allocatable": size, "capacity": size, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}
    kube_call(kube(stack), "POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "bench"}, "status": status})


def pods(stack):
    return kube_call(kube(stack), "GET", "/api/v1/namespaces/default/pods")["items"]


def revision(stack):
    """Rises by one with every write to the Kubernetes API."""
    return int(kube_call(kube(stack), "GET", "/api/v1/namespaces/default/configmaps")["metadata"]["resourceVersion"])


def in_parallel(clients, count, work):
    """Items a second."""
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        for done in [pool.submit(work, number) for number in range(count)]:
            done.result()
    return count / (time.monotonic() - begin)


def settled(stack, pause_seconds=3.0):
    """The revision once it has stayed the same for a while (leases are renewed: one write in that time may be theirs)."""
    last, since = revision(stack), time.monotonic()
    while time.monotonic() - since < pause_seconds:
        time.sleep(0.5)
        now = revision(stack)
        if now > last + 1:
            since = time.monotonic()
        last = now
    return last


@bench
def create200(stack):
    stack.log_in()
    add_node(stack)
    create(stack, "first")  # the harness's ConfigMap and the like are made with it
    before = settled(stack)
    cpu = stack.cpu()
    begin = time.monotonic()
    rate = in_parallel(8, 200, lambda number: create(stack, f"e{number}"))
    wait_for("200 more pods exist", lambda: len(pods(stack)) >= 201, 300, 0.1)
    took = time.monotonic() - begin
    writes = settled(stack) - before
    used = [after - b for after, b in zip(stack.cpu(), cpu)]

    def bare(worker):
        connection = kube(stack)
        for number in range(writes // 8):
            body = {"metadata": {"name": f"bare-{worker}-{number}"}, "data": {"text": "x" * 3000}}
            kube_call(connection, "POST", "/api/v1/namespaces/default/configmaps", body)

    bare_rate = in_parallel(8, 8, bare) * (writes // 8)
    show("create200", f"{rate:.1f}/s; all 200 pods exist after {took:.1f} s ({200 / took:.1f}/s); {writes / 200:.1f} writes to the Kubernetes API each; "
         f"CPU ms each: det-operator {used[0] * 5:.1f}, PostgreSQL (of both) {used[1] * 5:.1f}"
         f"\n    bare client:  {bare_rate:.0f} creates/s by 8 connections = {bare_rate / max(1, writes / 200):.1f} experiments/s of that many writes")


@bench
def paused10000(stack):
    stack.log_in()
    count = arguments.experiments
    rate = in_parallel(8, count, lambda number: create(stack, f"e{number}", activate=False))
    settled(stack)
    filled = resident(stack.operator.pid)
    stack.stop_operator()
    answers = stack.start_operator()
    stack.log_in()
    listed = stack.call("GET", "experiments?limit=1")["pagination"]["total"]
    time.sleep(10)
    show("paused10000", f"{count} made at {rate:.1f}/s; RSS {filled:.0f} MiB; after a restart {answers:.2f} s until it answers with its database, "
         f"{listed} listed, RSS {resident(stack.operator.pid):.0f} MiB ten seconds later")


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("names", nargs="*", choices=[[], *BENCHES], metavar="NAME", help=", ".join(BENCHES))
parser.add_argument("--statements", action="store_true", help="also print which statements took det-operator's database longest")
parser.add_argument("--experiments", type=int, default=10_000, help="of paused10000")
arguments = parser.parse_args()
for wanted in arguments.names or BENCHES:
    cluster = Stack(fsync_delay_us=5000 if wanted == "reports256-slowfsync" else 0, counts_statements=arguments.statements)
    try:
        BENCHES[wanted](cluster)
        if arguments.statements:
            for carried_out, planned, calls, text in cluster.statements():
                print(f"    {carried_out:>9} ms + {planned:>8} ms of planning, {calls:>6} calls: {text[:150]}", flush=True)
    finally:
        cluster.close()
