"""How fast metrics are read: python3 bench/metrics_reading.py [--rows 1000000]

A `det-operator local` of its own (DET_OPERATOR_BIN, else build/bin) with one trial. Curves: the time of a request on a connection that stays, the
median of so many, after the trial was looked at, which makes outlines of its series. The stream: all reports with one metric each, read and thrown
away, as fast as they come."""

import argparse
import http.client
import pathlib
import socket
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "attacks"))
from server import Server  # noqa: E402


def make(server, trial, group, names, rows):
    server.sql(f"INSERT INTO metric_names (hash, names) VALUES ('{group}', '{{{names}}}')")
    server.sql(f"WITH s AS (INSERT INTO series (trial_id, run, grp, names_id) SELECT {trial}, 1, '{group}', id FROM metric_names WHERE "
               f"hash = '{group}' RETURNING id, names_id) INSERT INTO metrics (time, series_id, steps, values) SELECT now() + i * interval '1 s', "
               "s.id, i, (SELECT array_agg(sin(i / 1e5::float8 + k) + random() / 10) FROM generate_series(1, cardinality(n.names)) k) "
               f"FROM s JOIN metric_names n ON n.id = s.names_id, generate_series(1, {rows}) i")


def curve(server, token, trial, metrics, points, times):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    query = f"trialIds={trial}&maxDatapoints={points}" + "".join(f"&metricIds={metric}" for metric in metrics)
    took = []
    for _ in range(times):
        begin = time.perf_counter()
        connection.request("GET", "/api/v1/trials/time-series?" + query, headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        text = answer.read()
        took.append((time.perf_counter() - begin) * 1000)
        assert answer.status == 200, text
    return f"p50 {statistics.median(took):7.1f} ms   least {min(took):7.1f} ms   {len(text)} bytes"


def look(server, token, trial):
    begin = time.perf_counter()
    answer = server.http("GET", f"/api/v1/trials/{trial}", token=token)
    assert answer.status == 200, answer
    return f"{(time.perf_counter() - begin) * 1000:7.1f} ms"


def stream(server, token, trial, group, rows):
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        path = f"/api/v1/trials/metrics/trial_metrics?trialIds={trial}&group={group}"
        begin = time.perf_counter()
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        size, buffer, tail = 0, bytearray(1 << 20), b""
        while not tail.endswith(b"\r\n0\r\n\r\n"):
            count = connection.recv_into(buffer)
            assert count, "cut"
            size += count
            tail = (tail + bytes(buffer[max(count - 16, 0):count]))[-16:]
        seconds = time.perf_counter() - begin
    return f"{rows / seconds:9.0f} rows/s   {size / seconds / 1e6:6.1f} MB/s   {server.resident():6.0f} MiB held by the server"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    arguments = parser.parse_args()
    server = Server()
    try:
        server.start()
        token = server.user("alice")
        trial = server.waiting_run(token).trial
        make(server, trial, "short", "a,b,c", 10_000)
        make(server, trial, "long", "a", arguments.rows)
        server.sql("VACUUM ANALYZE")
        print("1st curve of all       ", curve(server, token, trial, ["long.a"], 1000, 1))
        print("1st look at the trial  ", look(server, token, trial))
        print("2nd look at the trial  ", look(server, token, trial))
        print("500 of 10,000          ", curve(server, token, trial, ["short.a"], 500, 100))
        print("500 of 10,000, 3 of it ", curve(server, token, trial, ["short.a", "short.b", "short.c"], 500, 100))
        print(f"1,000 of {arguments.rows:,}     ", curve(server, token, trial, ["long.a"], 1000, 100))
        for _ in range(3):
            print("stream                 ", stream(server, token, trial, "long", arguments.rows))
    finally:
        server.stop()


if __name__ == "__main__":
    main()
