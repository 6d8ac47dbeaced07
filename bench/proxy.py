#!/usr/bin/python3
"""The way to the programs of tasks beside nginx, in one run: bench/proxy.py [--rounds 3] [--idle 5000] [--only SERVER]

A `det-operator local` (DET_OPERATOR_BIN, else $DET_BUILD/bin, else build/bin), Debian's nginx as a proxy, and the same origins behind
both: another nginx for a file of 1 GiB and one of 1 KiB, `echo_origin` for websockets. The load, the proxies and the origins share
the machine. Prints a table; each round goes through all servers in turn, and the table has the medians."""

import argparse
import contextlib
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BIN = pathlib.Path(os.environ.get("DET_BUILD", ROOT / "build")) / "bin"
os.environ.setdefault("DET_OPERATOR_BIN", str(BIN / "det-operator"))
sys.path.insert(0, str(ROOT / "tests" / "attacks"))
from server import Server, free_port, wait_for  # noqa: E402

REQUESTS, CONNECTIONS, ECHOES = 20000, 32, 20000

# As Debian installs it, but for the log; the proxy keeps connections to its upstreams, as ours does, and writes no temporary files.
NGINX = """
{user}
daemon off;
worker_processes auto;
worker_rlimit_nofile 20000;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {http}
}}
"""
ORIGIN = "server {{ listen 127.0.0.1:{port}; location / {{ root {files}; rewrite ^/proxy/[^/]*/(.*)$ /$1 break; }} }}"
PROXY = """
  upstream files {{ server 127.0.0.1:{files}; keepalive 32; keepalive_requests 1000000; }}
  server {{
    listen 127.0.0.1:{port};
    proxy_http_version 1.1;
    proxy_max_temp_file_size 0;
    proxy_read_timeout 1h;
    {buffers}
    location /proxy/ {{ proxy_pass http://files; proxy_set_header Connection ""; }}
    location /echo {{
      proxy_pass http://127.0.0.1:{echo};
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection Upgrade;
    }}
  }}
"""
# A download through nginx's own 8 of 4 KiB is slower; a websocket takes one of the first size.
LARGE_BUFFERS = "proxy_buffers 8 128k; proxy_busy_buffers_size 256k;"


class Nginx:
    def __init__(self, folder, http):
        folder.mkdir()
        file = folder / "nginx.conf"
        file.write_text(NGINX.format(folder=folder, http=http, user="user root;" if os.geteuid() == 0 else ""))
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            raise SystemExit("nginx is not installed: apt-get install nginx-light")
        self.process = subprocess.Popen([program, "-p", folder, "-c", file, "-e", folder / "error.log"])

    def processes(self):
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        return [self.process.pid, *map(int, children)]

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


class Way:
    """A server that leads to the origins: its port, the paths of the files and of the echo, tokens, its processes."""

    def __init__(self, name, port, files, echo, tokens, processes):
        self.baseline = None  # KiB before its first websockets: what it once had for some it may keep for the next
        self.name, self.port, self.files, self.echo, self.tokens, self.processes = name, port, files, echo, tokens, processes

    def load(self, kind, target, *more):
        token = self.tokens if kind == "websockets" else self.tokens.split(",")[0]
        return [BIN / "proxy_load", kind, str(self.port), target, token, *map(str, more)]

    def run(self, kind, target, *more):
        return subprocess.run(self.load(kind, target, *more), check=True, capture_output=True, text=True).stdout

    def resident(self):
        """KiB of all its processes, shared pages counted once."""
        texts = (pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in self.processes())
        return sum(int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1]) for text in texts)

    def cpu(self):
        ticks = 0
        for pid in self.processes():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")


def numbers(text):
    return [float(word) for word in re.findall(r"(?<![a-z\d.])[\d.]+", text)]


def measure(way, idle):
    """{what: number} of one round."""
    found = {}
    before = way.cpu()
    size, found["download of 1 GiB, MiB/s"] = numbers(way.run("download", way.files + "large"))
    if size != 1024:
        raise SystemExit(f"{way.name}: {size} MiB came of 1 GiB")
    found["its CPU, s"] = way.cpu() - before
    before = way.cpu()
    rate, half, most = numbers(way.run("requests", way.files + "small", REQUESTS, CONNECTIONS))
    found |= {"20,000 requests of 1 KiB, /s": rate, "their p50, ms": half, "their p99, ms": most}
    found["CPU of one, us"] = (way.cpu() - before) / REQUESTS * 1e6
    way.baseline = way.baseline or way.resident()
    with subprocess.Popen(way.load("websockets", way.echo, idle, ECHOES), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as load:
        if load.stdout.readline() != "open\n":
            raise SystemExit(f"{way.name}: the websockets did not open")
        time.sleep(2)
        found["KiB an idle websocket"] = (way.resident() - way.baseline) / idle
        found["echo p50, ms"], found["echo p99, ms"] = numbers(load.communicate("go\n")[0])
    time.sleep(2)  # until the ends of the websockets are dealt with
    return found


def service_of(server, port):
    """The path to a port that a command opens: what listens there is none of the command's, as pods of local mode share the
    loopback interface."""
    config = {"entrypoint": ["sleep", "3600"], "resources": {"slots": 0}, "environment": {"proxy_ports": [{"proxy_port": port}]}}
    made = server.http("POST", "/api/v1/commands", server.user("owner"), {"config": config})
    if made.status != 200:
        raise SystemExit(f"no command: {made}")
    service = f"{made.json['command']['id']}:{port}"
    wait_for(f"service {service} is published", lambda: server.sql(f"SELECT 1 FROM proxy_services WHERE id = '{service}'"))
    return f"/proxy/{service}/"


def show(rounds):
    """rounds: {name of a server: [numbers of its rounds]}."""
    names = list(rounds)
    print("| | " + " | ".join(names) + " | of nginx |\n" + "| --- " * (len(names) + 2) + "|")
    for what in rounds[names[0]][0]:
        medians = [statistics.median(one[what] for one in rounds[name]) for name in names]
        share = f"{medians[-1] / medians[0]:.2f}" if len(names) > 1 and medians[0] > 0 else ""
        print(f"| {what} | " + " | ".join(f"{value:,.{0 if value >= 100 else 2 if value >= 1 else 3}f}" for value in medians) + f" | {share} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--idle", type=int, default=5000, help="websockets")
    parser.add_argument("--only", choices=("nginx", "nginx, large buffers", "det-operator"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/var/tmp", prefix="det-proxy-bench-") as name, contextlib.ExitStack() as ends:
        folder = pathlib.Path(name)
        files = folder / "files"
        files.mkdir()
        (files / "small").write_bytes(b"x" * 1024)
        with open(files / "large", "wb") as file:
            for _ in range(1024):
                file.write(os.urandom(1 << 20))
        echo = subprocess.Popen([BIN / "echo_origin"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        ends.callback(echo.communicate)
        echo_port, files_port, nginx_port, large_port = int(echo.stdout.readline()), *(free_port() for _ in range(3))
        nginx = start(ends, Nginx(folder / "proxy", PROXY.format(port=nginx_port, files=files_port, echo=echo_port, buffers="")), nginx_port)
        large = start(ends, Nginx(folder / "large", PROXY.format(port=large_port, files=files_port, echo=echo_port, buffers=LARGE_BUFFERS)),
                      large_port)
        start(ends, Nginx(folder / "origin", ORIGIN.format(port=files_port, files=files)), files_port)
        server = Server()
        ends.callback(server.stop)
        server.start()
        owner, admin = server.user("owner"), server.admin()
        ways = [Way("nginx", nginx_port, "/proxy/files/", "/echo", "-", nginx.processes),
                Way("nginx, large buffers", large_port, "/proxy/files/", "/echo", "-", large.processes),
                Way("det-operator", server.port, service_of(server, files_port), service_of(server, echo_port) + "echo", f"{owner},{admin}",
                    lambda: [server.process.pid])]
        rounds = {way.name: [] for way in ways if arguments.only in (None, way.name)}
        for _ in range(arguments.rounds):
            for way in ways:
                if way.name in rounds:
                    rounds[way.name].append(measure(way, arguments.idle))
                    print(f"{way.name}: {rounds[way.name][-1]}", file=sys.stderr, flush=True)
        show(rounds)
        print(f"load average {os.getloadavg()[0]:.1f}")


def start(ends, nginx, port):
    ends.callback(nginx.stop)

    def answers():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
    wait_for("nginx answers", answers)
    return nginx


if __name__ == "__main__":
    main()
