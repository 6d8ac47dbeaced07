"""What the tests that run the harness files have in common: a fake server, a scratch folder, and the task's environment."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from fake_server import FakeServer, server_context

sys.dont_write_bytecode = True  # the harness folder is packed as it is

# The interpreter that runs the harness files: another one shows that they work in images with an older Python.
PYTHON = os.environ.get("DET_TEST_PYTHON", sys.executable)
HARNESS = pathlib.Path(__file__).resolve().parents[2] / "harness"
_CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
_CACHE = os.environ.get("DET_OPERATOR_CACHE") or _CACHE + "/det-operator"
VENV = pathlib.Path(_CACHE) / "venv-determined-0.38.1"


class ShipperCase(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="harness-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.server = FakeServer()
        self.addCleanup(self.server.close)

    def make_certificate(self):
        """A new one for the name "the-server", and its key, in files that are always the same."""
        cert, key = str(self.folder / "cert.pem"), str(self.folder / "key.pem")
        subject = ["-subj", "/CN=the-server", "-addext", "subjectAltName=DNS:the-server"]
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        subprocess.check_call([*command, *subject, "-keyout", key, "-out", cert], stderr=subprocess.DEVNULL)
        return cert, key

    def speak_tls(self):
        """From now on the server, which has not started, does, for the name "the-server". Its certificate's file."""
        cert, key = self.make_certificate()
        self.server.close()
        self.server = FakeServer(tls=server_context(cert, key))
        return cert

    def speak_tls_of_an_authority(self):
        """The same with a certificate that another one signed. The files of both."""
        name = lambda file: str(self.folder / file)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        subprocess.check_call(["openssl", "req", "-x509", *key, "-subj", "/CN=authority", "-keyout", name("ca.key"), "-out", name("ca.pem")], stderr=subprocess.DEVNULL)
        subprocess.check_call(["openssl", "req", *key, "-subj", "/CN=the-server", "-keyout", name("key.pem"), "-out", name("request.pem")], stderr=subprocess.DEVNULL)
        (self.folder / "names").write_text("subjectAltName=DNS:the-server\nbasicConstraints=critical,CA:false\n")
        subprocess.check_call(["openssl", "x509", "-req", "-in", name("request.pem"), "-CA", name("ca.pem"), "-CAkey", name("ca.key"), "-CAcreateserial",
                               "-days", "2", "-extfile", name("names"), "-out", name("cert.pem")], stderr=subprocess.DEVNULL)
        self.server.close()
        self.server = FakeServer(tls=server_context(name("cert.pem"), name("key.pem")))
        return name("cert.pem"), name("ca.pem")

    def environment(self, **more):
        env = {key: value for key, value in os.environ.items() if not key.startswith(("DET_", "PYTHON"))}
        env.update(
            DET_MASTER=self.server.url,
            DET_SESSION_TOKEN="token-1",
            DET_TASK_LOGGING_METADATA='{"allocation_id": "1.a.1", "task_id": "1.a"}',
            DET_CONTAINER_ID="pod-1",
            DET_AGENT_ID="node-1",
            PYTHONDONTWRITEBYTECODE="1",
            TMPDIR=str(self.folder),
        )
        env.update(more)
        return {key: value for key, value in env.items() if value is not None}

    def start(self, *command, **env):
        """Starts the shipper on a command; the process is ended with the test."""
        return self.start_program([PYTHON, "-B", str(HARNESS / "ship_logs.py"), *command], **env)

    def start_program(self, argv, cwd=None, **env):
        process = subprocess.Popen(
            argv,
            env=self.environment(**env),
            cwd=str(cwd or self.folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def finish(self, process):
        """Waits for the end: (exit code, stdout, stderr)."""
        out, err = process.communicate(timeout=300)
        return process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace")

    def ship(self, *command, **env):
        return self.finish(self.start(*command, **env))

    def gate(self, name):
        """A FIFO: a command that reads it waits until the test opens it (`open_gate`)."""
        path = self.folder / name
        os.mkfifo(str(path))
        return str(path)

    @staticmethod
    def open_gate(path):
        with open(path, "w") as file:
            file.write("go\n")
