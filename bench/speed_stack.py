"""What bench/speed.py measures: a private PostgreSQL, the embedded Kubernetes API and det-operator, each a process of its own."""

import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from processor_time import seconds_of, seconds_of_database

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("DET_BUILD", ROOT / "build"))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(what, condition, timeout=120, pause=0.02):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(pause)
    raise AssertionError(f"after {timeout} s still not: {what}")


def resident(pid):
    """MiB."""
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


class Stack:
    def __init__(self, fsync_delay_us=0, counts_statements=False):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="det-speed-", dir="/var/tmp"))
        self.folder.chmod(0o755)
        self.processes = []
        self.token = None
        self.port = free_port()
        environment = dict(os.environ)
        if fsync_delay_us:
            shim = self.folder / "slow_fsync.so"
            subprocess.run(["clang-19", "-O1", "-shared", "-fPIC", "-o", shim, ROOT / "bench/slow_fsync.c", "-ldl"], check=True)
            environment |= {"LD_PRELOAD": str(shim), "DET_FSYNC_DELAY_US": str(fsync_delay_us)}
        subprocess.run([ROOT / "scripts/postgres.sh", "start", "--dir", self.folder / "pg"], check=True, env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if counts_statements:
            with open(self.folder / "pg/data/postgresql.conf", "a", encoding="ascii") as settings:
                settings.write("shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track_planning = on\n")
            for verb in ("stop", "start"):
                subprocess.run([ROOT / "scripts/postgres.sh", verb, "--dir", self.folder / "pg"], check=True, env=environment,
                               stdout=subprocess.DEVNULL)
        for name in ("kube", "det"):
            self.sql(f"CREATE DATABASE {name}", "postgres")
        kubeconfig = self.folder / "kubeconfig"
        self.api = self.spawn("kube-api", BUILD / "bin/kube_api_server", "--database-url", self.url("kube"), "--kubeconfig", kubeconfig,
                              *sorted((ROOT / "crds").glob("*.yaml")))
        wait_for("the Kubernetes API serves", kubeconfig.exists)
        self.start_operator()
        if counts_statements:
            self.sql("CREATE EXTENSION pg_stat_statements; SELECT pg_stat_statements_reset()")

    def url(self, database):
        return f"postgresql://det@/{database}?host={self.folder}/pg"

    def sql(self, query, database="det"):
        done = subprocess.run(["psql", self.url(database), "-v", "ON_ERROR_STOP=1", "-qAt", "-F", "\t"], input=query, capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def spawn(self, name, *command):
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def start_operator(self):
        """Seconds until it answers with its database."""
        begin = time.monotonic()
        self.operator = self.spawn("operator", BUILD / "bin/det-operator", "--kubeconfig", self.folder / "kubeconfig", "--database-url",
                                   self.url("det"), "--listen", f"127.0.0.1:{self.port}", "--namespace", "default", "--identity", "bench")
        wait_for("det-operator answers", self.answers)
        return time.monotonic() - begin

    def answers(self):
        if self.operator.poll() is not None:
            raise AssertionError((self.folder / "operator.log").read_text(errors="replace")[-2000:])
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/ready", timeout=10):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop_operator(self):
        self.operator.send_signal(signal.SIGTERM)
        self.operator.wait(60)

    def close(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait(60)
        subprocess.run([ROOT / "scripts/postgres.sh", "stop", "--dir", self.folder / "pg"], check=False)
        if not os.environ.get("DET_KEEP"):
            shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, path, body=None):
        """The answer's JSON; logged in as admin."""
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/api/v1/{path}", data=data, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            raise AssertionError(f"{method} {path}: {refused.read().decode(errors='replace')}") from None

    def log_in(self):
        self.token = self.call("POST", "auth/login", {"username": "admin", "password": "", "isHashed": True})["token"]

    def cpu(self):
        """CPU seconds so far: (det-operator, PostgreSQL with both databases)."""
        return seconds_of(self.operator.pid), seconds_of_database(self.folder / "pg/data")

    def statements(self, count=15):
        """Milliseconds of carrying out and of planning, number of calls, and text: of all, then of those that took longest."""
        taken = "sum(total_exec_time)::numeric(12, 1), sum(total_plan_time)::numeric(12, 1), sum(calls)"
        where = "FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = 'det'"
        return self.sql(f"SELECT {taken}, 'all' {where}") + self.sql(
            rf"SELECT {taken}, regexp_replace(query, '\s+', ' ', 'g') {where} GROUP BY 4 ORDER BY sum(total_exec_time + total_plan_time) DESC "
            f"LIMIT {count}")

    def make_trials(self, count):
        """One experiment with that many running trials, as rows; the path of a file for api_load."""
        config = json.dumps({"searcher": {"name": "random", "metric": "loss", "smaller_is_better": True}})
        experiment = self.sql(
            "INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, context_kind) "
            f"VALUES (gen_random_uuid(), 1, 1, 'ACTIVE', '{config}', '', '', 'bench', 'none') RETURNING id")[0][0]
        lines = []
        statements = ["BEGIN;"]
        first = int(self.sql("SELECT coalesce(max(id), 0) FROM trials")[0][0])
        for number in range(count):
            trial, token = first + number + 1, f"bench-{experiment}-{number}"
            task = f"{experiment}.{trial}"
            digest, other = (hashlib.sha256(text.encode()).hexdigest() for text in (token, token + "-user"))
            statements.append(
                f"WITH k AS (INSERT INTO tasks (id, type) VALUES ('{task}', 'TRIAL') RETURNING number), "
                "t AS (INSERT INTO trials (id, experiment_id, request_id, task_number, state, hparams, seed, run) "
                f"SELECT {trial}, {experiment}, gen_random_uuid(), k.number, 'ACTIVE', '{{}}', 1, 1 FROM k RETURNING id) "
                "INSERT INTO allocations (id, task_number, trial_id, run, state, slots, owner_id, token_hash, user_token_hash) "
                f"SELECT '{task}.1', k.number, t.id, 1, 'RUNNING', 1, 1, '\\x{digest}', '\\x{other}' FROM k, t;")
            lines.append(f"{trial} {task} {task}.1 {token}")
        self.sql("\n".join(statements) + "COMMIT; ANALYZE;")
        path = self.folder / f"tasks-{experiment}"
        path.write_text("\n".join(lines) + "\n")
        return path

    def load(self, mode, *arguments):
        done = subprocess.run([BUILD / "bin/api_load", mode, str(self.port), *map(str, arguments)], capture_output=True, text=True, check=False)
        return (done.stdout + done.stderr).strip()
