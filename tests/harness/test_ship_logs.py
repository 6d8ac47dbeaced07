import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import unittest

from shipper_case import HARNESS, PYTHON, ShipperCase


class Shipping(ShipperCase):
    def test_sends_every_line_with_the_fields_that_the_server_needs(self):
        self.server.start()
        code, _, _ = self.ship("sh", "-c", "echo '[rank=2] INFO: out'; echo err >&2")
        self.assertEqual(code, 0)
        by_type = {record.pop("stdtype"): record for record in self.server.records()}
        for record in by_type.values():
            self.assertRegex(record.pop("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$")
        common = {"allocation_id": "1.a.1", "task_id": "1.a", "container_id": "pod-1", "agent_id": "node-1", "source": "task"}
        self.assertEqual(by_type["stdout"], dict(common, log="out\n", rank_id=2, level="LOG_LEVEL_INFO"))
        self.assertEqual(by_type["stderr"], dict(common, log="err\n"))
        for _, path, headers, _ in self.server.requests:
            self.assertEqual(path, "/api/v1/task/logs")
            self.assertEqual(headers["Grpc-Metadata-x-allocation-token"], "Bearer token-1")

    def test_sends_many_lines_in_batches_of_at_most_a_thousand(self):
        self.server.start()
        self.ship("sh", "-c", "seq 1 2500")
        self.assertEqual(self.server.lines(), ["%d\n" % i for i in range(1, 2501)])
        self.assertLessEqual(max(len(body["logs"]) for _, _, _, body in self.server.requests), 1000)

    def test_delivers_lines_while_the_command_still_runs(self):
        self.server.start()
        gate = self.gate("gate")
        process = self.start("sh", "-c", "echo before; read -r _ < %s; echo after" % gate)
        self.server.wait_for_line("before\n")
        self.assertIsNone(process.poll())
        self.open_gate(gate)
        self.assertEqual(self.finish(process)[0], 0)
        self.assertEqual(self.server.lines(), ["before\n", "after\n"])

    def test_survives_bytes_that_are_not_utf8_and_very_long_lines(self):
        self.server.start()
        script = "import sys; o = sys.stdout.buffer; o.write(b'\\xff\\x00bad\\n' + b'x' * 300000 + b'\\nend')"
        self.assertEqual(self.ship(sys.executable, "-c", script)[0], 0)
        lines = self.server.lines()
        self.assertEqual((lines[0], lines[-1]), ("\ufffd\x00bad\n", "end\n"))
        self.assertEqual("".join(line[:-1] for line in lines[1:-1]), "x" * 300000)

    def test_copies_the_output_when_asked_to(self):
        self.server.start()
        command = ("sh", "-c", "echo out; echo err >&2")
        self.assertEqual(self.ship(*command, DET_SHIPPER_EMIT_STDOUT_LOGS="1"), (0, "out\n", "err\n"))
        self.assertEqual(self.ship(*command), (0, "", ""))

    def test_goes_on_when_its_own_output_is_closed(self):
        self.server.start()
        gate = self.gate("gate")
        process = self.start("sh", "-c", "read -r _ < %s; seq 1 50000" % gate, DET_SHIPPER_EMIT_STDOUT_LOGS="1")
        process.stdout.close()
        self.open_gate(gate)
        self.assertEqual(process.wait(timeout=300), 0)
        self.assertEqual(len(self.server.lines()), 50000)

    def test_does_not_wait_for_grandchildren_that_keep_the_pipes_open(self):
        self.server.start()
        process = self.start("sh", "-c", "sleep 3000 & echo $! > pid; echo done")
        code, _, _ = self.finish(process)
        pid = int((self.folder / "pid").read_text())
        self.addCleanup(subprocess.call, ["kill", str(pid)])
        self.assertEqual(code, 0)
        self.assertEqual(subprocess.call(["kill", "-0", str(pid)]), 0)
        self.assertEqual(self.server.lines(), ["done\n"])


class ExitCodes(ShipperCase):
    def test_passes_on_the_code_of_the_command(self):
        self.server.start()
        self.assertEqual(self.ship("sh", "-c", "exit 37")[0], 37)

    def test_reports_a_deadly_signal_as_128_and_its_number(self):
        self.server.start()
        self.assertEqual(self.ship("sh", "-c", "kill -9 $$")[0], 137)

    def test_says_when_the_command_does_not_exist(self):
        self.server.start()
        self.assertEqual(self.ship("/no/such/program")[0], 127)
        self.assertIn("cannot run /no/such/program", self.server.lines()[0])
        self.assertEqual(self.server.records()[0]["level"], "LOG_LEVEL_ERROR")

    def test_says_when_the_command_cannot_be_executed(self):
        self.server.start()
        (self.folder / "text").write_text("not a program")
        self.assertEqual(self.ship(str(self.folder / "text"))[0], 126)

    def test_refuses_to_start_when_it_is_not_configured(self):
        for name, value in [
            ("DET_MASTER", None),
            ("DET_MASTER", "localhost:8080"),
            ("DET_SESSION_TOKEN", None),
            ("DET_TASK_LOGGING_METADATA", "[]"),
            ("DET_LOG_WAIT_TIME", "soon"),
        ]:
            with self.subTest(name=name, value=value):
                code, _, err = self.ship("touch", "ran", **{name: value})
                self.assertEqual(code, 80)
                self.assertIn(name, err)
                self.assertFalse((self.folder / "ran").exists())


class Signals(ShipperCase):
    def test_forwards_signals_to_the_command(self):
        self.server.start()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGWINCH):
            with self.subTest(signal=number.name):
                script = (
                    "import signal, sys\n"
                    "def handler(n, _): print('got', n, flush=True); sys.exit(7)\n"
                    "signal.signal(%d, handler); print('ready %d', flush=True)\n"
                    "while True: signal.pause()" % (number, number)
                )
                process = self.start(sys.executable, "-c", script)
                self.server.wait_for_line("ready %d\n" % number)
                process.send_signal(number)
                self.assertEqual(self.finish(process)[0], 7)
                self.assertIn("got %d\n" % number, self.server.lines())

    def test_hears_a_signal_while_it_is_still_being_loaded(self):
        self.server.start()
        gate = self.gate("gate")
        harness = self.folder / "harness"
        shutil.copytree(str(HARNESS), str(harness))
        lines = (harness / "log_lines.py").read_text()
        (harness / "log_lines.py").write_text("open(%r).read()\n%s" % (gate, lines))
        process = self.start_program([PYTHON, "-B", str(harness / "ship_logs.py"), "sleep", "600"])
        with open(gate, "w"):
            process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process)[0], 143)

    def test_the_script_before_it_hears_one_too(self):
        gate = self.gate("gate")
        python = self.folder / "python"
        python.write_text("#!/bin/sh\nread -r _ < %s\n" % gate)
        python.chmod(0o755)
        process = self.start_program(["/bin/sh", str(HARNESS / "start.sh")], DET_PYTHON_EXECUTABLE=str(python))
        with open(gate, "w"):
            process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process)[0], 143)

    @unittest.skipUnless(shutil.which("bwrap"), "bubblewrap is not installed, so nothing can be process 1 here")
    def test_as_process_1_reaps_orphans_and_forwards_signals(self):
        self.server.start()
        script = (
            "echo I am the child of $PPID\n"
            "(true & ) \n"  # its parent ends first, so it becomes the shipper's
            "i=0; while grep -q '^State:.Z' /proc/[0-9]*/status 2>/dev/null; do\n"
            "  i=$((i+1)); [ $i -lt 2000 ] || { echo zombies; break; }; sleep 0.05; done\n"
            "trap 'echo got TERM; exit 5' TERM; echo ready; while :; do sleep 0.05; done"
        )
        argv = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--as-pid-1", "--proc", "/proc", "--info-fd", "1"]
        process = self.start_program([*argv, PYTHON, "-B", str(HARNESS / "ship_logs.py"), "sh", "-c", script])
        self.server.wait_for_line("ready\n")
        info = process.stdout.readline() + process.stdout.readline()
        pid = int("".join(c for c in info.decode() if c.isdigit()))
        subprocess.check_call(["kill", "-TERM", str(pid)])
        self.assertEqual(self.finish(process)[0], 5)
        self.assertEqual(self.server.lines(), ["I am the child of 1\n", "ready\n", "got TERM\n"])


class ServerTrouble(ShipperCase):
    def test_runs_the_command_and_delivers_later_when_the_server_is_away_at_the_start(self):
        gate = self.gate("gate")
        process = self.start("sh", "-c", "echo early; touch ran; read -r _ < %s; echo late; exit 3" % gate)
        self.open_gate(gate)  # returns only when the command is there, so it did not wait for the server
        self.server.start()
        self.assertEqual(self.finish(process)[0], 3)
        self.assertEqual(self.server.lines(), ["early\n", "late\n"])

    def test_loses_nothing_when_the_server_goes_away_in_the_middle(self):
        self.server.start()
        first, second = self.gate("first"), self.gate("second")
        script = "echo one; read -r _ < %s; seq 1 3000; read -r _ < %s; echo three" % (first, second)
        process = self.start("sh", "-c", script)
        self.server.wait_for_line("one\n")
        self.server.stop()
        self.open_gate(first)
        self.open_gate(second)
        self.server.start()
        self.assertEqual(self.finish(process)[0], 0)
        self.assertEqual(self.server.lines(), ["one\n"] + ["%d\n" % i for i in range(1, 3001)] + ["three\n"])

    def test_tries_again_after_errors_of_the_server(self):
        self.server.start()
        self.server.answers = [500, 503, 429, 401, 404]
        gate = self.gate("gate")
        process = self.start("sh", "-c", "echo hello; read -r _ < %s" % gate)
        self.server.wait_until(lambda: len(self.server.requests) >= 3, "three attempts")
        self.server.answers = []
        self.open_gate(gate)
        self.assertEqual(self.finish(process)[0], 0)
        self.assertEqual(self.server.lines(), ["hello\n"])
        # Any of the answers may have been lost after the lines were kept: the server is to look for them.
        paths = [path for _, path, _, body in self.server.requests if body["logs"][0]["log"] == "hello\n"]
        self.assertEqual((paths[0], set(paths[1:])), ("/api/v1/task/logs", {"/api/v1/task/logs?retry=true"}))

    def test_gives_up_lines_that_the_server_refuses_but_not_the_following(self):
        self.server.start()
        self.server.answers = [400]
        gate = self.gate("gate")
        process = self.start("sh", "-c", "echo bad; read -r _ < %s; echo good" % gate)
        self.server.wait_until(lambda: self.server.requests, "the first request")
        self.open_gate(gate)
        code, _, err = self.finish(process)
        missing = "[log shipper] 1 log lines are missing here: the server refused them (status 400)\n"
        self.assertEqual((code, self.server.lines()), (0, [missing, "good\n"]))
        self.assertIn("the server refused 1 log lines: status 400", err)

    def test_what_is_too_much_for_a_proxy_is_sent_in_parts(self):
        self.server.start()
        self.server.answers = [413, 413]
        self.assertEqual(self.ship("sh", "-c", "seq 1 40")[0], 0)
        self.assertEqual(self.server.lines(), ["%d\n" % number for number in range(1, 41)])

    @unittest.skipUnless(os.path.exists("/dev/full"), "/dev/full is not there")
    def test_goes_on_through_an_outage_that_it_can_tell_nobody(self):
        self.server.start()
        self.server.answers = [503] * 4
        with open("/dev/full", "w") as full:
            process = subprocess.Popen([PYTHON, "-B", str(HARNESS / "ship_logs.py"), "sh", "-c", "echo hello; exit 37"], env=self.environment(), stderr=full)
        self.assertEqual(process.wait(300), 37)
        self.assertEqual(self.server.lines(), ["hello\n"])

    def test_a_wait_without_end_has_one(self):
        self.server.start()
        self.assertEqual(self.ship("sh", "-c", "exit 5", DET_LOG_WAIT_TIME="inf")[0], 5)

    def test_keeps_the_exit_code_and_says_what_is_lost_when_the_server_never_comes(self):
        code, _, err = self.ship("sh", "-c", "seq 1 5; exit 4", DET_LOG_WAIT_TIME="0.2")
        self.assertEqual(code, 4)
        self.assertIn("5 log lines were not delivered", err)
        self.assertEqual([path.name for path in self.folder.glob("ship-logs-*")], [])

    def test_ends_at_once_when_its_token_has_died_with_the_task(self):
        self.server.start()
        self.server.answers = [401] * 1000
        code, _, err = self.ship("sh", "-c", "echo last; exit 6", DET_LOG_WAIT_TIME="100000")
        self.assertEqual(code, 6)
        self.assertIn("1 log lines were not delivered", err)


@unittest.skipUnless(shutil.which("openssl"), "openssl is not installed, so there is no certificate to test with")
class Tls(ShipperCase):
    def setUp(self):
        super().setUp()
        self.cert = self.speak_tls()
        self.server.start()

    def test_trusts_the_given_certificate_for_the_given_name(self):
        self.ship("echo", "hi", DET_MASTER_CERT_FILE=self.cert, DET_MASTER_CERT_NAME="the-server")
        self.assertEqual(self.server.lines(), ["hi\n"])

    def test_refuses_a_certificate_for_another_name(self):
        _, _, err = self.ship("echo", "hi", DET_MASTER_CERT_FILE=self.cert, DET_LOG_WAIT_TIME="0.5")
        self.assertEqual(self.server.lines(), [])
        self.assertIn("1 log lines were not delivered", err)

    def test_trusts_the_given_certificate_whoever_signed_it(self):
        cert, authority = self.speak_tls_of_an_authority()
        self.server.start()
        for given in (cert, authority):
            self.ship("echo", given, DET_MASTER_CERT_FILE=given, DET_MASTER_CERT_NAME="the-server")
        self.assertEqual(self.server.lines(), [cert + "\n", authority + "\n"])
        _, _, err = self.ship("echo", "hi", DET_MASTER_CERT_FILE=self.cert + ".other", DET_MASTER_CERT_NAME="the-server")
        self.assertIn("cannot be used", err)

    def test_goes_on_where_the_certificate_is_renewed(self):
        sys.path.insert(0, str(HARNESS))
        self.addCleanup(sys.path.remove, str(HARNESS))
        from server_connection import Server
        given = self.folder / "given.pem"
        shutil.copy(self.cert, given)
        connection = Server(self.server.url, "token-1", str(given), "the-server")
        self.addCleanup(connection.close)
        post = lambda: connection.post("/api/v1/task/logs", json.dumps({"logs": []}), 30)
        self.assertEqual(post()[0], 200)
        self.server.tls.load_cert_chain(*self.make_certificate())
        self.assertEqual(post()[0], 200, "the kept connection goes on")
        connection.close()
        with self.assertRaises(ssl.SSLError):
            post()
        given.write_text("half a fi")  # while it is written
        with self.assertRaises(ssl.SSLError):
            post()
        shutil.copy(self.cert, given)
        self.assertEqual(post()[0], 200)

    def test_trusts_the_one_who_signed_it_where_the_volume_has_them(self):
        shutil.copy(self.cert, self.folder / "master.crt")  # of before
        _, authority = self.speak_tls_of_an_authority()
        self.server.start()
        _, _, err = self.ship("echo", "hi", DET_MASTER_CERT_FILE=str(self.folder / "master.crt"), DET_MASTER_CERT_NAME="the-server", DET_LOG_WAIT_TIME="0.5")
        self.assertIn("1 log lines were not delivered", err)
        shutil.copy(authority, self.folder / "ca.crt")
        self.ship("echo", "ho", DET_MASTER_CERT_FILE=str(self.folder / "master.crt"), DET_MASTER_CERT_NAME="the-server")
        self.assertEqual(self.server.lines(), ["ho\n"])

    def test_trusts_anyone_when_told_not_to_verify(self):
        self.ship("echo", "hi", DET_MASTER_CERT_FILE="noverify")
        self.assertEqual(self.server.lines(), ["hi\n"])


if __name__ == "__main__":
    unittest.main()
