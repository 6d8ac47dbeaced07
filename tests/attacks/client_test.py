"""What a hostile server can do to whoever runs our `det`."""

import http.server
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import tarfile
import tempfile
import threading
import unittest
import uuid

from server import PATIENCE, PROGRAM, free_port, wait_for

DET = pathlib.Path(PROGRAM).with_name("det")


def entry(name, content=b"", **parts):
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for part, value in parts.items():
        setattr(info, part, value)
    return info, content


def tar(*entries):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for info, content in entries:
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


class HostileMaster(http.server.BaseHTTPRequestHandler):
    """Has one checkpoint; its archive is the server's `archive`."""

    def do_GET(self):
        if self.path.startswith("/checkpoints/"):
            self.answer("application/x-tar", self.server.archive)
        else:
            self.answer("application/json", json.dumps({"checkpoint": {"uuid": self.server.uuid, "metadata": {}, "training": {}}}).encode())

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Clients(unittest.TestCase):
    def setUp(self):
        self.master = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HostileMaster)
        self.master.uuid = str(uuid.uuid4())
        threading.Thread(target=self.master.serve_forever, daemon=True).start()
        self.addCleanup(self.master.server_close)
        self.addCleanup(self.master.shutdown)
        folder = tempfile.TemporaryDirectory(dir="/var/tmp")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def download(self, archive):
        self.master.archive = archive
        return subprocess.run([DET, "-m", f"http://127.0.0.1:{self.master.server_port}", "checkpoint", "download", self.master.uuid, "-o", "out"],
                              cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, "HOME": str(self.folder), "DET_USER": "ann", "DET_USER_TOKEN": "T"})

    def test_an_archive_writes_only_into_the_folder_that_was_asked_for(self):
        """a620492: there was no such command.
        now: links, hard links too, names that climb out and absolute ones are refused, and the archive with them; no file of the user's is
        touched. (Until November 2026 what followed a hard link overwrote the file that it named.)"""
        done = self.download(tar(entry("state/w.pt", b"abc")))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "out" / "state" / "w.pt").read_bytes(), b"abc")
        victim = self.folder / "victim"
        for name, archive in {
                "a hard link": tar(entry("w", linkname=str(victim), type=tarfile.LNKTYPE), entry("w", b"overwritten")),
                "a hard link that climbs": tar(entry("w", linkname="../../victim", type=tarfile.LNKTYPE), entry("w", b"overwritten")),
                "a link": tar(entry("w", linkname=str(victim), type=tarfile.SYMTYPE), entry("w", b"overwritten")),
                "a link to a folder": tar(entry("up", linkname=str(self.folder), type=tarfile.SYMTYPE), entry("up/victim", b"overwritten")),
                "a name that climbs": tar(entry("../../victim", b"overwritten")),
                "an absolute name": tar(entry(str(victim), b"overwritten")),
                "a device": tar(entry("w", type=tarfile.CHRTYPE, devmajor=1, devminor=3)),
                "a pipe": tar(entry("w", type=tarfile.FIFOTYPE))}.items():
            with self.subTest(name):
                subprocess.run(["rm", "-rf", self.folder / "out"], check=True)
                victim.write_bytes(b"precious")
                done = self.download(archive)
                self.assertEqual(victim.read_bytes(), b"precious")
                self.assertEqual(victim.stat().st_nlink, 1)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertIn("the archive holds", done.stderr)
                self.assertEqual(list((self.folder / "out").rglob("w")), [])

    def test_a_master_that_never_answers_does_not_keep_a_tunnel_open(self):
        """a620492: there was no such command.
        now: Ctrl-C ends it, and its connections. (Until December 2026 it went on until the last of them was closed.)"""
        port = free_port()
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        tunnel = subprocess.Popen([DET, "-m", f"http://127.0.0.1:{silent.getsockname()[1]}", "tunnel", "--listener", str(port), "a-task"],
                                  stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "HOME": str(self.folder), "DET_USER": "ann", "DET_USER_TOKEN": "T"})
        self.addCleanup(tunnel.stderr.close)
        self.addCleanup(tunnel.kill)

        def connected():
            try:
                return socket.create_connection(("127.0.0.1", port), PATIENCE)
            except ConnectionRefusedError:
                return None
        user = wait_for("the tunnel listens", connected)
        self.addCleanup(user.close)
        master, _ = silent.accept()
        self.addCleanup(master.close)
        self.assertIn(b"/proxy/a-task/", master.recv(65536))
        tunnel.send_signal(signal.SIGINT)
        self.assertEqual(tunnel.wait(PATIENCE), 3)
        self.assertEqual(user.recv(1), b"")


if __name__ == "__main__":
    unittest.main()
