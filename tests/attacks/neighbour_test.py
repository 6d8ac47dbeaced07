"""What others on the machine can do: other Unix users, pages in a browser, programs that find a port, whoever writes a log."""

import contextlib
import hashlib
import json
import os
import pathlib
import pty
import shutil
import signal
import ssl
import stat
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request

from server import PATIENCE, PROGRAM, Server, free_port, setup, wait_for

server = setup(globals(), config={"security": {}})  # nobody has named a password

AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
IS_ROOT = os.geteuid() == 0


def passwords(of):
    lines = (of.data / "passwords").read_text().splitlines()
    return dict(line.split() for line in lines if line and not line.startswith("#"))


def starters_token(of, user):
    return json.loads((of.folder / "config" / "auth.json").read_text())["masters"][of.url]["tokens"][user]


def https(url, headers=None):
    """(status, text)."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=context))
    try:
        with opener.open(urllib.request.Request(url, headers=headers or {}), timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(errors="replace")


class Passwords(unittest.TestCase):
    def test_a_blank_password_lets_nobody_in(self):
        """a620492: 200 and a token of admin, for any Unix user and any pod.
        now: 401; the made passwords let in."""
        for user in ("admin", "determined"):
            self.assertEqual(server.try_login(user, "").status, 401)
            self.assertEqual(server.try_login(user, passwords(server)[user]).status, 200)

    def test_who_started_it_is_logged_in_without_typing(self):
        """a620492: by the blank password, as everybody was.
        now: by tokens in the file that both command lines read."""
        for user in ("admin", "determined"):
            me = server.http("GET", "/api/v1/me", token=starters_token(server, user))
            self.assertEqual(me.json["user"]["username"], user)

    def test_no_moment_of_the_first_start_takes_blank_passwords(self):
        """a620492: from the first migration on, and before security.initial_user_password was set.
        now: 503 until the users have passwords, 401 then."""
        fresh = Server(config={"security": {}})
        self.addCleanup(fresh.stop)
        seen, stop = [], threading.Event()

        def hammer():
            while not stop.is_set():
                try:
                    seen.append(fresh.try_login("admin", "", timeout=5).status)
                except OSError:
                    pass
        workers = [threading.Thread(target=hammer) for _ in range(4)]
        for worker in workers:
            worker.start()
        try:
            fresh.start()
            wait_for("a login was tried", lambda: seen)
        finally:
            stop.set()
            for worker in workers:
                worker.join()
        self.assertNotIn(200, seen)

    def test_secrets_are_files_of_their_owner(self):
        """a620492: kubeconfig and token were; there was no other secret but the blank password.
        now: passwords, tokens, kubeconfig, token and auth.json have mode 0600; another user reads none."""
        files = [server.data / "passwords", server.data / "tokens", server.data / "kubeconfig", server.data / "token", server.folder / "config" / "auth.json"]
        for file in files:
            self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600, file)
        if not IS_ROOT:
            self.skipTest("only root can look as another user")
        for file in files:
            self.assertNotEqual(subprocess.run([*AS_NOBODY, "cat", file], capture_output=True, check=False).returncode, 0, file)

    @unittest.skipUnless(IS_ROOT, "only root can look as another user")
    def test_another_user_reaches_neither_the_database_nor_the_pods_files(self):
        """a620492: permission denied.
        now: permission denied."""
        done = subprocess.run([*AS_NOBODY, "psql", f"postgresql://det@/postgres?host={server.data}/postgres", "-c", "SELECT 1"],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Permission denied", done.stderr)
        self.assertNotEqual(subprocess.run([*AS_NOBODY, "ls", server.data / "agent"], capture_output=True, check=False).returncode, 0)

    def test_command_lines_hold_no_secret(self):
        """a620492: none.
        now: none: passwords, tokens and the environment of pods go by files without a name."""
        secrets = [*passwords(server).values(), starters_token(server, "admin"), (server.data / "token").read_text()]
        made = server.kube("POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "env"}, "spec": {"restartPolicy": "Never", "containers": [
            {"name": "main", "image": "any", "command": ["sleep", "60"], "env": [{"name": "KEY", "value": "value-of-the-environment"}]}]}})
        self.assertEqual(made.status, 201)
        wait_for("it runs", lambda: server.kube("GET", "/api/v1/namespaces/default/pods/env").json.get("status", {}).get("phase") == "Running")
        lines = ""
        for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                lines += entry.read_text(errors="replace")
            except OSError:
                pass
        for secret in [*secrets, "value-of-the-environment"]:
            self.assertNotIn(secret, lines)
        server.kube("DELETE", "/api/v1/namespaces/default/pods/env?gracePeriodSeconds=1")

    def test_the_network_gets_no_blank_passwords(self):
        """a620492: --listen 0.0.0.0 served everybody on the network as admin.
        now: with --blank-passwords it does not start, and says what to do."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PROGRAM, "local", "--data-dir", folder + "/d", "--listen", f"0.0.0.0:{free_port()}", "--blank-passwords"],
                                  capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--blank-passwords lets everybody log in", done.stderr)

    def test_a_folder_with_blank_passwords_gets_made_ones(self):
        """a620492: they stayed blank.
        now: at the next start without --blank-passwords, said in the log; with it, those that were made are blank again."""
        old = Server(config={"security": {}}, args=["--blank-passwords"])
        self.addCleanup(old.stop)
        old.start()
        self.assertEqual(old.try_login("admin", "").status, 200)
        self.assertIn("can log in as admin", old.log())
        self.assertFalse((old.data / "passwords").exists())
        for args, blank in [([], 401), (["--blank-passwords"], 200)]:
            old.process.send_signal(signal.SIGTERM)
            old.process.wait(PATIENCE)
            old.args = ["--slots", "1", "--no-gpu", *args]
            old.start()
            self.assertEqual(old.try_login("admin", "").status, blank)
            if blank == 401:
                self.assertIn("users without a password were given one", old.log())
                self.assertEqual(old.try_login("admin", passwords(old)["admin"]).status, 200)


class Browsers(unittest.TestCase):
    def setUp(self):
        if "admin" not in server.tokens:
            server.tokens["admin"] = server.login("admin", passwords(server)["admin"])

    def status(self, *headers):
        said = server.exchange("".join(f"{line}\r\n" for line in ["GET /info HTTP/1.1", *headers, "Connection: close", ""]).encode())
        return int(said.split()[1])

    def test_a_name_that_was_bound_anew_is_not_this_server(self):
        """a620492: 200 for any Host: DNS rebinding gave a page the whole API.
        now: 421; localhost, loopback addresses and --allowed-host are answered."""
        for host in ("evil.example", f"evil.example:{server.port}", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1"):
            self.assertEqual(self.status(f"Host: {host}"), 421, host)
        for host in ("localhost", f"localhost:{server.port}", "127.0.0.1", "[::1]:1"):
            self.assertEqual(self.status(f"Host: {host}"), 200, host)
        self.assertEqual(self.status("Host: localhost", "Host: evil.example"), 400)

    def test_a_page_of_another_site_sends_no_requests(self):
        """a620492: a form or a fetch without CORS reached every route, login too.
        now: 403 for an Origin that is not this server."""
        for origin in ("https://evil.example", "null", "http://localhost.evil.example"):
            self.assertEqual(self.status("Host: localhost", f"Origin: {origin}"), 403, origin)
        self.assertEqual(self.status("Host: localhost", f"Origin: http://localhost:{server.port}"), 200)

    def test_a_page_of_another_port_does_nothing_by_the_cookie_of_who_looks_at_it(self):
        """a620492: 200: browsers send a host's cookies to all its ports, and with them a neighbour's page made users and tokens.
        now: 403 for what changes something, unless Origin is the host and the port that are asked; in clusters too."""
        cookie = f"auth={server.admin()}"
        for origin in ("http://localhost:1", "http://127.0.0.1:1", "http://127.0.0.1", f"http://localhost:{server.port}"):
            for path, body in (("/api/v1/users", {"user": {"username": "made-by-a-page", "active": True}}), ("/api/v1/tokens", {}), ("/api/v1/auth/logout", {})):
                said = server.http("POST", path, body=body, headers={"Cookie": cookie, "Origin": origin})
                self.assertEqual(said.status, 403, (origin, path, said))
        self.assertEqual(server.sql("SELECT 1 FROM users WHERE username = 'made-by-a-page'"), [])
        own = {"Cookie": cookie, "Origin": server.url}
        self.assertEqual(server.http("POST", "/api/v1/users/setting", body={"settings": []}, headers=own).status, 200)

    def test_a_page_of_another_port_logs_nobody_in(self):
        """a620492: 200 with a cookie: who looked at the page went on as whom the page had named.
        now: 403 for an Origin that is not the host and the port that are asked; in clusters too."""
        for path in ("/api/v1/auth/login", "/login?cookie=true"):
            body = '{"username": "admin", "password": "", "a": "="}'  # as a form of text/plain sends it
            said = server.http("POST", path, body=body, headers={"Origin": "http://localhost:1", "Content-Type": "text/plain"})
            self.assertEqual(said.status, 403, said)
            self.assertNotIn("Set-Cookie", said.headers)

    def test_a_second_cookie_makes_nobody_work_as_somebody_else(self):
        """a620492: the first of two cookies counted, which a page of the same host with a longer path in its cookie could be sure to be.
        now: 401 that says so."""
        said = server.http("GET", "/api/v1/me", headers={"Cookie": f"auth={server.user('mallory')}; auth={server.admin()}"})
        self.assertEqual(said.status, 401, said)
        self.assertIn("two different cookies", said.error)
        same = server.http("GET", "/api/v1/me", headers={"Cookie": f"auth={server.admin()}; auth={server.admin()}"})
        self.assertEqual(same.status, 200, same)


class LogServer(unittest.TestCase):
    def agent(self, node, *args):
        """A node agent of a state folder of its own, on the server's Kubernetes API. Each needs another node: what the last one said of
        its node is there until the next one has said otherwise."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="det-attack-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        log = open(folder / "log", "wb")
        self.addCleanup(log.close)
        process = subprocess.Popen([PROGRAM, "node-agent", "--kubeconfig", server.data / "kubeconfig", "--node", node, "--state-dir", folder / "state",
                                    "--default-image", "/", *args], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        return process, folder

    def port_of(self, node):
        def port():
            found = server.kube("GET", f"/api/v1/nodes/{node}")
            return found.status == 200 and found.json.get("status", {}).get("daemonEndpoints", {}).get("kubeletEndpoint", {}).get("Port")
        return wait_for(f"node {node} says its port", port)

    def test_logs_need_a_token(self):
        """a620492: 200 and the log of any pod, for everybody on the machine.
        now: 401; the Kubernetes API, which knows the token, goes on showing logs."""
        server.kube("POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "private"}, "spec": {"restartPolicy": "Never", "containers": [
            {"name": "main", "image": "any", "command": ["echo", "private-line"]}]}})
        wait_for("it ended", lambda: server.kube("GET", "/api/v1/namespaces/default/pods/private").json.get("status", {}).get("phase") == "Succeeded")
        url = f"https://127.0.0.1:{self.port_of('local')}/containerLogs/default/private/main"
        for headers in ({}, {"Authorization": "Bearer guess"}, {"Authorization": "Bearer " + (server.data / "token").read_text()}):
            status, text = https(url, headers)
            self.assertEqual(status, 401)
            self.assertNotIn("private-line", text)
        self.assertIn("private-line", server.kube("GET", "/api/v1/namespaces/default/pods/private/log").text)

    def test_an_encoded_path_reads_no_other_pods_log(self):
        """a620492: ..%2f..%2fUID%2fcontainers%2fmain as a container's name read the log of another pod, and of other nodes' folders.
        now: 400: that is no name; a container that the pod does not have is 404."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="det-attack-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "token").write_text("node-secret")
        self.agent("second", "--log-token-file", folder / "token")
        server.kube("POST", "/api/v1/namespaces/default/pods", {"metadata": {"name": "there"}, "spec": {"nodeName": "second", "restartPolicy": "Never", "containers": [
            {"name": "main", "image": "any", "command": ["echo", "line"]}]}})
        wait_for("it ended", lambda: server.kube("GET", "/api/v1/namespaces/default/pods/there").json.get("status", {}).get("phase") == "Succeeded")
        uid = server.kube("GET", "/api/v1/namespaces/default/pods/there").json["metadata"]["uid"]
        base = f"https://127.0.0.1:{self.port_of('second')}/containerLogs/default/there/"
        headers = {"Authorization": "Bearer node-secret"}
        self.assertEqual(https(base + "main", headers), (200, "line\n"))
        for name in (f"..%2f..%2f{uid}%2fcontainers%2fmain", "%2e%2e%2fmain", "main%2f0", "..%5cmain"):
            self.assertEqual(https(base + name, headers)[0], 400, name)
        self.assertEqual(https(base + "other", headers)[0], 404)

    def test_an_agent_serves_no_network_without_a_client_ca(self):
        """a620492: it listened on the address, and gave logs to everybody who asked.
        now: it does not start, and says which file is missing."""
        process, folder = self.agent("third", "--address", "0.0.0.0")
        self.assertEqual(process.wait(PATIENCE), 1)
        self.assertIn("give --client-ca FILE", (folder / "log").read_text())

    @unittest.skipUnless(IS_ROOT, "only root can give a folder to another user")
    def test_a_neighbour_cannot_own_the_folder_of_memory_volumes(self):
        """a620492: a folder that another user had made in /dev/shm under the agent's name was used as it was.
        now: the agent takes another one, whose name cannot be foreseen, and keeps to it."""
        process, folder = self.agent("fourth", "--slots", "1")
        self.port_of("fourth")
        process.terminate()
        process.wait(PATIENCE)
        name = hashlib.sha256(f"{folder}/state\nfourth".encode()).hexdigest()[:12]
        memory = pathlib.Path(f"/dev/shm/det-node-agent-{name}")
        memory.mkdir()
        self.addCleanup(memory.rmdir)
        os.chown(memory, 65534, 65534)
        note = folder / "state" / "memory-folder"
        chosen = []
        for _ in range(2):
            again = subprocess.Popen([PROGRAM, "node-agent", "--kubeconfig", server.data / "kubeconfig", "--node", "fourth", "--state-dir",
                                      folder / "state", "--default-image", "/"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            try:
                wait_for("it has a folder", lambda: note.exists() and os.path.isdir(note.read_text().strip()))
                own = pathlib.Path(note.read_text().strip())
                chosen.append(own)
                self.assertEqual((own.stat().st_uid, own.stat().st_mode & 0o777), (0, 0o700))
            finally:
                again.terminate()
                again.wait(PATIENCE)
        self.assertEqual(chosen[0], chosen[1])
        self.assertNotEqual(chosen[0], memory)
        self.assertEqual(list(memory.iterdir()), [])


class Terminals(unittest.TestCase):
    def test_a_log_does_not_steer_the_terminal(self):
        """a620492: ESC sequences in a log reached the terminal as they were: titles, cursor, on some terminals typed text.
        now: det shows them on a terminal; colours pass; a file or a pipe gets every byte."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="det-attack-", dir="/var/tmp"))
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        (folder / "det-local.lock").touch()
        raw = b"\x1b]0;owned\x07 \x1b[2J \x1b[31mred\x1b[0m\n"
        (folder / "det-operator.log").write_bytes(raw)
        command = [str(pathlib.Path(PROGRAM).with_name("det")), "deploy", "local", "logs", "--no-follow", "--data-dir", str(folder)]
        self.assertEqual(subprocess.run(command, capture_output=True, timeout=PATIENCE, check=True).stdout, raw)
        main, side = pty.openpty()
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=side, stderr=side, timeout=PATIENCE, check=True)
        os.close(side)
        seen = b""
        with contextlib.suppress(OSError):  # the end, as Linux tells it
            while piece := os.read(main, 4096):
                seen += piece
        os.close(main)
        self.assertEqual(seen.replace(b"\r\n", b"\n"), "\u241b]0;owned\u2407 \u241b[2J \x1b[31mred\x1b[0m\n".encode())


if __name__ == "__main__":
    unittest.main()
