"""Which reads grow with history: python3 bench/growth.py [--calls 15]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin). Its tables get rows by SQL, then a hundred times as many; every route is timed
before and after, as clients ask (pages of 50). Prints the medians and how much longer each takes. A list of everything may grow with everything; a page,
a trial and a count should not. Some pages are not full at first (10 checkpoints), and one experiment has all 2,000 trials: where it is in a page, their
ids are too. docs/benchmarks.md has a table of before and after."""

import argparse
import pathlib
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "attacks"))
from server import Server, timed  # noqa: E402

SMALL = {"users": 5, "templates": 5, "workspaces": 5, "experiments": 100, "trials": 20, "reports": 200, "checkpoints": 10, "logins": 10, "audit": 10}
TIMES = 100
# {trial} is the one with the reports, {experiment} its experiment.
ROUTES = ["/api/v1/me", "/api/v1/master", "/api/v1/users?limit=50", "/api/v1/users/2", "/api/v1/workspaces?limit=50", "/api/v1/templates?limit=50",
          "/api/v1/experiments?limit=50", "/api/v1/experiments?limit=50&orderBy=ORDER_BY_DESC&sortBy=SORT_BY_START_TIME",
          "/api/v1/experiments?limit=50&states=STATE_COMPLETED&userIds=2", "/api/v1/experiments/{experiment}",
          "/api/v1/experiments/{experiment}/trials?limit=50", "/api/v1/experiments/{experiment}/trials?limit=50&sortBy=SORT_BY_BEST_VALIDATION_METRIC",
          "/api/v1/experiments/{experiment}/checkpoints?limit=50", "/api/v1/experiments/{experiment}/searcher/best_searcher_validation_metric",
          "/api/v1/trials/{trial}", "/api/v1/trials/{trial}/workloads?limit=50", "/api/v1/trials/{trial}/checkpoints?limit=50",
          "/api/v1/tasks", "/api/v1/tasks/count", "/api/v1/job-queues-v2?limit=50", "/api/v1/job-queues/stats", "/api/v1/agents", "/api/v1/resource-pools",
          "/metrics", "/prom/det-state-metrics"]


def first_rows(server):
    """An experiment that is over, with the trial that has the reports; (experiment, trial)."""
    number = server.create(server.user("alice"))
    server.kill(server.user("alice"), number)
    server.sql("INSERT INTO tasks (id, type) VALUES ('growth.0', 'TRIAL')")
    trial = server.sql(f"""INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, run, end_time, best_steps, best_metric, best_rank)
                           SELECT {number}, gen_random_uuid(), number, 'COMPLETED', '{{}}', 1, 1, now(), 1, 0.5, 0.5 FROM tasks WHERE id = 'growth.0' RETURNING id""")[0][0]
    server.sql("INSERT INTO metric_names (hash, names) VALUES ('growth', '{acc,loss}')")
    for group in ("training", "validation"):
        server.sql(f"INSERT INTO series (trial_id, run, grp, names_id) SELECT {trial}, 1, '{group}', id FROM metric_names WHERE hash = 'growth'")
    return number, int(trial)


def grow(server, experiment, trial, done, wanted):
    """Rows from `done` up to `wanted`, each a count by table."""
    rows = lambda name: f"generate_series({done.get(name, 0) + 1}, {wanted[name]}) i"
    for statement in (
        f"INSERT INTO users (username, password_hash) SELECT 'grown' || i, 'x' FROM {rows('users')}",
        f"INSERT INTO user_sessions SELECT sha256(('login' || i)::bytea), 2, now() + interval '1 day' FROM {rows('logins')}",
        f"INSERT INTO workspaces (name, owner_id) SELECT 'grown' || i, 2 FROM {rows('workspaces')}",
        f"INSERT INTO templates (name, config, workspace_id) SELECT 'grown' || i, '{{}}', 1 FROM {rows('templates')}",
        f"""INSERT INTO experiments (nonce, owner_id, project_id, state, config, original_config, config_hash, name, context_kind, start_time, end_time)
            SELECT gen_random_uuid(), 2, 1, 'COMPLETED', e.config, e.original_config, e.config_hash, 'grown' || i, 'none', now() - i * interval '1 min', now()
            FROM experiments e, {rows('experiments')} WHERE e.id = {experiment}""",
        f"INSERT INTO tasks (id, type, end_time) SELECT 'growth.' || i, 'TRIAL', now() FROM {rows('trials')}",
        f"""INSERT INTO trials (experiment_id, request_id, task_number, state, hparams, seed, run, end_time)
            SELECT {experiment}, gen_random_uuid(), k.number, 'COMPLETED', '{{}}', 1, 1, now() FROM tasks k, {rows('trials')} WHERE k.id = 'growth.' || i""",
        f"""INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, i, ARRAY[i, 1.0 / i] FROM series s, {rows('reports')}
            WHERE s.trial_id = {trial}""",
        f"""INSERT INTO checkpoints (uuid, task_number, trial_id, allocation_id, report_time, state, steps, metadata, resources, size)
            SELECT gen_random_uuid(), t.task_number, t.id, 'growth.0.1', now(), 'COMPLETED', i, '{{}}', '{{}}', 0 FROM trials t, {rows('checkpoints')}
            WHERE t.id = {trial}""",
        f"""INSERT INTO audit_events (at, action, username, token, object, origin, forwarded, status, reason)
            SELECT now(), 'a', 'u', '', '', '', '', 200, '' FROM {rows('audit')}""",
    ):
        server.sql(statement)
    server.sql("VACUUM ANALYZE")  # as autovacuum does sooner or later


def measure(server, token, routes, calls):
    """The median of each route, in milliseconds."""
    medians = []
    for route in routes:
        taken = []
        for _ in range(calls + 3):
            seconds, answer = timed(lambda: server.http("GET", route, token))
            if answer.status != 200:
                raise SystemExit(f"GET {route}: {answer}")
            taken.append(seconds * 1000)
        medians.append(statistics.median(taken[3:]))
    return medians


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=15)
    arguments = parser.parse_args()
    server = Server()
    try:
        server.start()
        token = server.admin()
        experiment, trial = first_rows(server)
        routes = [route.format(experiment=experiment, trial=trial) for route in ROUTES]
        large = {name: count * TIMES for name, count in SMALL.items()}
        grow(server, experiment, trial, {}, SMALL)
        before = measure(server, token, routes, arguments.calls)
        start = time.monotonic()
        grow(server, experiment, trial, SMALL, large)
        print(f"grown in {time.monotonic() - start:.0f} s: " + ", ".join(f"{count} {name}" for name, count in large.items()))
        first, _ = timed(lambda: server.http("GET", f"/api/v1/trials/{trial}", token))
        print(f"the first GET /api/v1/trials/{trial} after that: {first * 1000:.1f} ms\n")
        after = measure(server, token, routes, arguments.calls)
        for route, small, big in sorted(zip(routes, before, after), key=lambda row: -row[2] / row[1]):
            print(f"{small:8.1f} ms -> {big:8.1f} ms   x{big / small:5.1f}   {route}")
    finally:
        server.stop()


if __name__ == "__main__":
    main()
