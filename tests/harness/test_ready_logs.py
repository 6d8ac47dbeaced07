import http.server
import json
import select
import subprocess
import threading
import unittest

from task_case import HARNESS, PYTHON, TaskCase, free_port, is_alive, wait_for

_READY, _WAITING = "contains metrics", "(waits on|is waiting for) metrics"


class ReadyLogsTest(TaskCase):
    """ready_logs.py between a program and its log."""

    def start_reader(self, *patterns, **env):
        process = subprocess.Popen([PYTHON, "-E", "-s", "-B", str(HARNESS / "ready_logs.py"), *(patterns or (_READY, _WAITING))],
                                   env=self.environment(**self.pod_environment("TENSORBOARD", **env)), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def write(self, process, data):
        process.stdin.write(data)
        process.stdin.flush()

    def test_copies_every_byte(self):
        data = bytes(range(256)) * 4096 + b"TensorBoard contains metrics\nno end of line"
        process = self.start_reader()
        out, err = process.communicate(data, timeout=300)
        self.assertEqual((process.returncode, out, err), (0, data, b""))

    def test_passes_a_line_on_before_the_next_one_comes(self):
        process = self.start_reader()
        self.write(process, b"half a line")
        self.assertEqual(process.stdout.read(11), b"half a line")

    def test_says_that_the_task_waits_and_then_that_it_is_ready(self):
        process = self.start_reader()
        for text in (b"INFO: TensorBoard is waiting for metrics.\n", b"TensorBoard is waiting for metrics.\n"):
            self.write(process, text)
        wait_for("waiting is reported", lambda: self.server.states() == ["waiting"])
        self.write(process, b"TensorBoard contains metrics\nTensorBoard waits on metrics\nTensorBoard contains metrics\n")
        wait_for("ready is reported", lambda: self.server.states() == ["waiting", "ready"])
        self.assertEqual([(method, path) for method, path, _ in self.server.calls],
                         [("POST", "/api/v1/allocations/t-1.1/waiting"), ("POST", "/api/v1/allocations/t-1.1/ready")])

    def test_is_ready_once_its_port_is_open(self):
        port = free_port()
        process = self.start_reader("--port", str(port), "is running")
        self.write(process, b"Jupyter Server is running\n")
        self.assertEqual(process.stdout.read(26), b"Jupyter Server is running\n")
        # Only what is wrong can end this wait early.
        self.assertFalse(process.stderr in select.select([process.stderr], [], [], 1.0)[0] or self.server.states())
        jupyter = FakeJupyter(port)
        self.addCleanup(jupyter.close)
        wait_for("ready is reported", lambda: self.server.states() == ["ready"])

    def test_reports_once_the_server_is_back(self):
        self.server.stop()
        process = self.start_reader()
        self.write(process, b"TensorBoard contains metrics\nand more\n")
        self.assertEqual(process.stdout.read(38), b"TensorBoard contains metrics\nand more\n")
        self.assertIn(b"WARNING: cannot tell the server yet that this task is ready (ConnectionRefusedError", process.stderr.readline())
        self.server.start()
        wait_for("ready is reported", lambda: self.server.states() == ["ready"])

    def test_goes_on_copying_when_the_server_refuses(self):
        refused = []

        class No(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                refused.append((self.path, self.headers["Grpc-Metadata-x-allocation-token"]))
                self.send_response(404)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), No)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        process = self.start_reader(DET_MASTER="http://127.0.0.1:%d" % server.server_port)
        self.write(process, b"TensorBoard contains metrics\n")
        self.assertIn(b"refused it: status 404", process.stderr.readline())
        out, err = process.communicate(b"more\n", timeout=300)
        self.assertEqual((process.returncode, out, err), (0, b"TensorBoard contains metrics\nmore\n", b""))
        self.assertEqual(refused, [("/api/v1/allocations/t-1.1/ready", "Bearer token-1")])

    def test_ends_with_its_input_while_the_server_is_away(self):
        self.server.stop()
        process = self.start_reader()
        out, _ = process.communicate(b"TensorBoard contains metrics\n", timeout=300)
        self.assertEqual((process.returncode, out), (0, b"TensorBoard contains metrics\n"))

    def test_reads_on_when_nobody_reads_it(self):
        process = self.start_reader()
        process.stdout.close()
        # More than a pipe holds: a program that prints would be held up.
        self.write(process, b"x" * (1 << 20) + b"\nTensorBoard contains metrics\n")
        wait_for("ready is reported", lambda: self.server.states() == ["ready"])
        process.stdin.close()
        self.assertEqual(process.wait(300), 0)

    def test_copies_without_an_environment(self):
        process = self.start_reader(DET_MASTER=None)
        out, err = process.communicate(b"TensorBoard contains metrics\n", timeout=300)
        self.assertEqual((process.returncode, out), (0, b"TensorBoard contains metrics\n"))


class FakeJupyter:
    """The part of JupyterLab's API that idle reports read."""

    def __init__(self, port):
        self.kernels, self.terminals, self.sessions = [], [], []
        self.tokens = set()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.tokens.add(self.headers["Authorization"])
                name = self.path[len("/proxy/t-1/api/") :] if self.path.startswith("/proxy/t-1/api/") else ""
                found = getattr(outer, name, None)
                body = json.dumps(found).encode()
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.handle_error = lambda *_: None  # whoever asks is killed with its test
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class IdleReportsTest(TaskCase):
    def begin(self, idle_type, prepare=lambda jupyter: None):
        port = free_port()
        jupyter = FakeJupyter(port)
        self.addCleanup(jupyter.close)
        prepare(jupyter)
        env = self.pod_environment("NOTEBOOK", NOTEBOOK_PORT=str(port), NOTEBOOK_IDLE_TYPE=idle_type, DET_NOTEBOOK_TOKEN="secret")
        # An interval of no time, so that a look follows the other.
        script = "import sys; sys.path.insert(0, sys.argv[1]); import idle_reports, os; idle_reports.INTERVAL = 0.0; idle_reports.main(os.getppid(), os.environ)"
        self.process = self.start_program([PYTHON, "-B", "-c", script, str(HARNESS)], **env)
        return jupyter

    def reports(self):
        return [body["idle"] for body in self.server.asked("PUT", "/api/v1/notebooks/t-1/report_idle")]

    def expect(self, idle):
        """A report on what is the case now: the second that begins from now on."""
        seen = len(self.reports())
        wait_for("two more reports", lambda: len(self.reports()) >= seen + 2)
        wait_for("idle is %s" % idle, lambda: self.reports()[-1] is idle)

    def test_kernels_or_terminals(self):
        jupyter = self.begin("kernels_or_terminals")
        self.expect(True)
        for name in ("kernels", "terminals", "sessions"):
            setattr(jupyter, name, [{"id": "1"}])
            self.expect(False)
            setattr(jupyter, name, [])
            self.expect(True)
        self.assertEqual(jupyter.tokens, {"token secret"})
        self.assertEqual(self.server.asked("PUT", "/api/v1/notebooks/t-1/report_idle")[0], {"notebookId": "t-1", "idle": True})

    def test_kernel_connections(self):
        jupyter = self.begin("KERNEL_CONNECTIONS", lambda jupyter: jupyter.kernels.append({"connections": 1}))
        self.expect(False)
        jupyter.kernels = [{"connections": 0}, {"connections": 0}]
        self.expect(True)

    def test_activity(self):
        kernel = {"execution_state": "idle", "last_activity": "2026-01-01T00:00:00Z"}
        jupyter = self.begin("activity", lambda jupyter: jupyter.kernels.append(kernel))
        self.expect(True)
        self.assertIs(self.reports()[0], False)  # the first look cannot know
        jupyter.kernels = [dict(kernel, execution_state="busy")]
        self.expect(False)
        jupyter.kernels = [kernel]
        self.expect(True)
        seen = len(self.reports())
        jupyter.terminals = [{"last_activity": "2026-01-01T00:00:07Z"}]
        self.expect(True)
        self.assertIn(False, self.reports()[seen:])

    def test_an_image_without_terminals_is_looked_at_all_the_same(self):
        self.begin("kernels_or_terminals", lambda jupyter: setattr(jupyter, "terminals", None))
        self.expect(True)

    def test_a_type_that_nobody_knows_is_the_first_one(self):
        self.begin("sleepy")
        self.expect(True)
        self.assertIn(b"notebook_idle_type is 'sleepy'; there are kernels_or_terminals, kernel_connections, activity", self.process.stderr.readline())

    def test_what_cannot_be_seen_is_not_idle(self):
        jupyter = self.begin("kernels_or_terminals")
        self.expect(True)
        jupyter.kernels = None
        self.expect(False)

    def test_reports_again_when_the_server_is_back(self):
        self.server.stop()
        self.begin("kernels_or_terminals")
        self.assertIn(b"cannot report whether the notebook is idle: ConnectionRefusedError", self.process.stderr.readline())
        self.server.start()
        self.expect(True)

    def test_ends_with_the_notebook(self):
        port = free_port()
        env = self.pod_environment("NOTEBOOK", NOTEBOOK_PORT=str(port), DET_NOTEBOOK_TOKEN="secret")
        self.files.joinpath("run.sh").write_text('%s -B %s/idle_reports.py $$ & echo $!; read x' % (PYTHON, HARNESS))
        notebook = subprocess.Popen(["/bin/sh", str(self.files / "run.sh")], env=self.environment(**env), stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE)
        pid = int(notebook.stdout.readline())
        notebook.communicate(b"\n", timeout=300)  # returns when the last one that holds the pipe has ended
        wait_for("the reports end with the notebook", lambda: not is_alive(pid))


if __name__ == "__main__":
    unittest.main()
