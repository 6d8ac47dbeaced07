"""What reports that come late on purpose cost others: python3 bench/late_reports.py [--reports 4000] [--seconds 8]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin). One trial has many reports; its owner's six clients look at it, then two more
report late for it, so that what was added up starts over. Meanwhile another user reports and lists, one call after the other. Prints those times."""

import argparse
import pathlib
import statistics
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "attacks"))
from server import Server, timed  # noqa: E402


def report(server, run, steps):
    metrics = {"trialId": run.trial, "trialRunId": 1, "stepsCompleted": steps, "metrics": {"avgMetrics": {"loss": steps, "acc": 1.5}}}
    return timed(lambda: server.http("POST", f"/api/v1/trials/{run.trial}/metrics", run.session, {"group": "training", "metrics": metrics}))[0]


def shown(seconds):
    ordered = sorted(seconds)
    return f"p50 {statistics.median(ordered) * 1000:6.1f}   p95 {ordered[len(ordered) * 95 // 100] * 1000:6.1f}   max {ordered[-1] * 1000:6.0f} ms"


def measure(server, run, token, first, seconds):
    reports, lists, end = [], [], time.monotonic() + seconds
    while time.monotonic() < end:
        reports.append(report(server, run, first + len(reports)))
        lists.append(timed(lambda: server.http("GET", "/api/v1/experiments?limit=20", token))[0])
    print(f"  reports {shown(reports)}\n  lists   {shown(lists)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reports", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=8)
    arguments = parser.parse_args()
    server = Server()
    try:
        server.start()
        alice = server.user("alice")
        good, bad = server.waiting_run(alice), server.waiting_run(server.user("mallory"))
        report(server, bad, 2)
        server.sql("INSERT INTO metrics (time, series_id, steps, values) SELECT now(), s.id, 2 * i, ARRAY[1.5, i] FROM series s, "
                   f"generate_series(2, {arguments.reports}) i WHERE s.trial_id = {bad.trial}")
        server.sql("VACUUM ANALYZE")
        ends, late = threading.Event(), iter(range(1, 2 * arguments.reports, 2))

        def look():
            while not ends.is_set():
                server.http("GET", f"/api/v1/trials/{bad.trial}", bad.user)

        def report_late():
            while not ends.is_set():
                report(server, bad, next(late))
                time.sleep(0.01)

        for number, (name, work) in enumerate((("alone", []), ("six look", [look] * 6), ("six look, two report late", [look] * 6 + [report_late] * 2))):
            ends.clear()
            threads = [threading.Thread(target=one, daemon=True) for one in work]
            for thread in threads:
                thread.start()
            print(name)
            measure(server, good, alice, 1 + number * 1_000_000, arguments.seconds)
            ends.set()
            for thread in threads:
                thread.join()
    finally:
        server.stop()


if __name__ == "__main__":
    main()
