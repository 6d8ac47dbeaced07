"""Checkpoints through the server, and the configuration that admins may read."""

import base64
import contextlib
import http.server
import io
import itertools
import os
import pathlib
import socket
import tarfile
import tempfile
import threading
import unittest
import urllib.parse
import uuid

from server import setup, wait_for

STORAGE = socket.socket()  # held from here on, so that nobody else takes its port
STORAGE.bind(("127.0.0.1", 0))
STORAGE_PORT = STORAGE.getsockname()[1]
# A server that dials nobody but these for its users.
server = setup(globals(), config={"checkpoint_downloads": {"endpoints": ["http://minio.example:9000", f"http://127.0.0.1:{STORAGE_PORT}"]},
                                  "db": {"password": "database-secret"},
                                  "task_container_defaults": {"environment_variables": ["WANDB_API_KEY=key-secret"]}})


class HostileStorage(http.server.BaseHTTPRequestHandler):
    """S3 of somebody who wants harm; the bucket's name says which. An administrator allowed the endpoint, not what it answers."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer in one packet: the second of two would wait 40 ms for the first one's acknowledgement
    asked = itertools.count()

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        folder = urllib.parse.parse_qs(url.query).get("prefix", [""])[0]
        number = next(self.asked)
        more = f"<IsTruncated>true</IsTruncated><NextContinuationToken>{number}</NextContinuationToken>"
        key = lambda name, size: f"<Contents><Key>{urllib.parse.quote(folder + name)}</Key><ETag>e</ETag><Size>{size}</Size></Contents>"
        inner = {"/endless/": more, "/climbing/": key("../../../etc/cron.d/x", 1), "/absolute/": key("/etc/passwd", 1),
                 "/huge/": "".join(key(f"f{i}", 2**64 - 1) for i in range(9))}.get(url.path, "")
        body = f"<ListBucketResult>{inner}</ListBucketResult>".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def saved_by(token, storage):
    """A checkpoint of a run of the user's, in that storage; its UUID."""
    job = server.waiting_run(token, {"checkpoint_storage": storage})
    name = str(uuid.uuid4())
    body = {"uuid": name, "taskId": job.task, "allocationId": job.allocation, "reportTime": "2026-11-24T00:00:00Z", "state": "STATE_COMPLETED",
            "resources": {"w": 3}, "metadata": {"steps_completed": 1}}
    answer = server.http("POST", "/api/v1/checkpoints", job.session, body)
    assert answer.status == 200, answer
    return name


class Downloads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.mallory = server.user("mallory")

    def test_the_server_dials_no_address_that_a_user_names(self):
        """a620492: there was no such route.
        now: 403, without a packet: an administrator lists the endpoints that it dials."""
        with socket.create_server(("127.0.0.1", 0)) as inside:
            inside.settimeout(1)
            name = saved_by(self.mallory, {"type": "s3", "bucket": "b", "access_key": "k", "secret_key": "s",
                                           "endpoint_url": f"http://127.0.0.1:{inside.getsockname()[1]}"})
            answer = server.http("GET", f"/checkpoints/{name}", self.mallory)
            self.assertEqual(answer.status, 403)
            self.assertIn("checkpoint_downloads.endpoints of master.yaml", answer.text)
            with self.assertRaises(TimeoutError):
                inside.accept()

    def test_no_address_in_a_configuration_of_azure_is_dialled(self):
        """a620492: there was no such route.
        now: 403, without a packet, however a connection string or an account's address says it: only HTTPS to names that Azure hands out,
        and what an administrator lists."""
        with socket.create_server(("127.0.0.1", 0)) as inside:
            inside.settimeout(1)
            port = inside.getsockname()[1]
            for storage in ({"connection_string": f"BlobEndpoint=http://127.0.0.1:{port}/x;SharedAccessSignature=sig=1"},
                            {"connection_string": f"DefaultEndpointsProtocol=http;AccountName=a;AccountKey=eA==;EndpointSuffix=localhost:{port}"},
                            {"connection_string": "UseDevelopmentStorage=true"},
                            {"account_url": f"http://127.0.0.1:{port}"},
                            {"account_url": "http://a.blob.core.windows.net"},
                            {"account_url": f"https://127.0.0.1:{port}/.blob.core.windows.net"}):
                name = saved_by(self.mallory, {"type": "azure", "container": "ckpt", **storage})
                answer = server.http("GET", f"/checkpoints/{name}", self.mallory)
                self.assertIn(answer.status, (400, 403), answer)
                self.assertNotIn("sig=1", answer.text)
            with self.assertRaises(TimeoutError):
                inside.accept()

    def test_the_servers_own_identity_reads_no_bucket_that_a_user_names(self):
        """a620492: there was no such route.
        now: 403 before a token is asked for: the server reads Google's buckets as itself, so an administrator lists them."""
        name = saved_by(self.mallory, {"type": "gcs", "bucket": "payroll", "prefix": "all"})
        answer = server.http("GET", f"/checkpoints/{name}", self.mallory)
        self.assertEqual(answer.status, 403, answer)
        self.assertIn("this server does not read 'gs://payroll' for its users", answer.text)

    def test_a_hostile_storage_neither_holds_the_server_nor_leaves_the_archive(self):
        """a620492: there was no such route.
        now: listings end after 2,000 pages, 200,000 files or five minutes; names that climb out, and sizes that no disk has, are refused."""
        storage = http.server.ThreadingHTTPServer(("127.0.0.1", STORAGE_PORT), HostileStorage, bind_and_activate=False)
        storage.socket.close()
        storage.socket = STORAGE
        storage.server_activate()
        threading.Thread(target=storage.serve_forever, daemon=True).start()
        self.addCleanup(storage.server_close)
        self.addCleanup(storage.shutdown)
        for bucket, status, said in (("endless", 429, "more than 2000 pages"), ("climbing", 400, "leaves the checkpoint"),
                                     ("absolute", 400, "leaves the checkpoint"), ("huge", 429, "bytes")):
            name = saved_by(self.mallory, {"type": "s3", "bucket": bucket, "access_key": "k", "secret_key": "s",
                                           "endpoint_url": f"http://127.0.0.1:{STORAGE_PORT}"})
            answer = server.http("GET", f"/checkpoints/{name}", self.mallory)
            self.assertEqual(answer.status, status, answer)
            self.assertIn(said, answer.text)

    def test_many_ranges_are_no_more_work_than_none(self):
        """a620492: there was no such route.
        now: one range works; thousands, overlapping or odd ones are as if none was asked for, and a tag of something else sends all of it."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            name = saved_by(self.mallory, {"type": "shared_fs", "host_path": folder})
            (pathlib.Path(folder) / name).mkdir()
            (pathlib.Path(folder) / name / "w").write_text("abc")
            ask = lambda **headers: server.http("GET", f"/checkpoints/{name}", self.mallory, headers=headers)
            whole = ask()
            self.assertEqual(ask(Range="bytes=0-9").status, 206)
            for odd in ("bytes=" + ",".join(["0-"] * 1500), "bytes=0-0,-1", "bytes=9-1", "bytes=99999999999999999999-", "bytes=" + "9" * 4000,
                        "bytes=-", "bytes=0x0-", "bytes= 0-9", "rows=0-9"):
                answer = ask(Range=odd)
                self.assertEqual((answer.status, answer.data), (200, whole.data), odd[:50])
            self.assertEqual(ask(Range="bytes=18446744073709551615-").status, 416)
            for tag in ('"other"', 'W/"other"', "*", "Thu, 26 Nov 2026 00:00:00 GMT", ""):
                self.assertEqual(ask(Range="bytes=5-", **{"If-Range": tag}).status, 200, tag)

    def test_who_leaves_in_the_middle_of_a_large_file_costs_no_memory(self):
        """a620492: there was no such route.
        now: what was begun is given up. (Until November 2026 the packer filled up the rest of the file with zeros, in memory.)"""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            name = saved_by(self.mallory, {"type": "shared_fs", "host_path": folder})
            (pathlib.Path(folder) / name).mkdir()
            with open(pathlib.Path(folder) / name / "w", "wb") as large:
                large.truncate(1 << 40)  # it takes no place on the disk
            server.http("GET", "/api/v1/me", self.mallory)
            before = server.resident()
            for accept in ("application/x-tar", "application/gzip", "application/zip"):
                head = f"GET /checkpoints/{name} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.mallory}\r\nAccept: {accept}\r\n\r\n"
                with server.raw_socket(head.encode()) as connection:
                    self.assertIn(b" 200 ", connection.recv(20))
            self.assertEqual(server.http("GET", "/api/v1/me", self.mallory).status, 200)
            passes = lambda: [server.http("GET", f"/checkpoints/{name}", self.mallory, headers={"Range": "bytes=0-0"}).status for _ in range(5)]
            wait_for("the three downloads have ended", lambda: passes() == [206] * 5)
            self.assertLess(server.resident() - before, 200, "megabytes")

    def test_model_code_that_many_read_slowly_costs_no_memory(self):
        """a620492: each request held the whole code, and its base64, until its client had read it.
        now: a piece of it each."""
        code = base64.b64encode(os.urandom(24 << 20)).decode()
        made = server.http("POST", "/api/v1/experiments", self.mallory, {
            "config": '{"name": "large", "entrypoint": "true", "searcher": {"name": "single", "metric": "x"}}', "activate": False,
            "modelDefinition": [{"path": "weights", "type": 48, "content": code}]})
        self.assertEqual(made.status, 200, made)
        number = made.json["experiment"]["id"]
        before = server.resident()
        ask = f"Host: localhost\r\nAuthorization: Bearer {self.mallory}\r\n\r\n"
        with contextlib.ExitStack() as open_ones:
            for path in [f"/api/v1/experiments/{number}/model_def", f"/experiments/{number}/model_def"] * 30:
                connection = open_ones.enter_context(server.raw_socket(f"GET {path} HTTP/1.1\r\n{ask}".encode()))
                self.assertIn(b" 200 ", connection.recv(20))
            self.assertLess(server.resident() - before, 400, "megabytes")  # whole: 60 times 24, and 30 times 32
        answer = server.http("GET", f"/api/v1/experiments/{number}/model_def", self.mallory)
        self.assertEqual(tarfile.open(fileobj=io.BytesIO(base64.b64decode(answer.json["b64Tgz"]))).getmember("weights").size, 24 << 20)

    def test_no_link_in_a_checkpoint_leads_to_what_the_server_may_read(self):
        """a620492: there was no such route.
        now: links, pipes and devices in a checkpoint's folder are left out, and a folder that is a link is no checkpoint."""
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            root = pathlib.Path(folder)
            name = saved_by(self.mallory, {"type": "shared_fs", "host_path": folder})
            (root / "secret").write_text("secret")
            (root / name).mkdir()
            (root / name / "w").write_text("abc")
            (root / name / "link").symlink_to(root / "secret")
            (root / name / "up").symlink_to(root)
            os.mkfifo(root / name / "pipe")
            answer = server.http("GET", f"/checkpoints/{name}", self.mallory)
            self.assertEqual(answer.status, 200, answer)
            self.assertEqual(tarfile.open(fileobj=io.BytesIO(answer.data)).getnames(), ["w"])
            (root / name).rename(root / "elsewhere")
            (root / name).symlink_to(root / "elsewhere")
            self.assertEqual(server.http("GET", f"/checkpoints/{name}", self.mallory).status, 400)

    def test_strangers_and_session_tokens_download_nothing(self):
        """a620492: there was no such route.
        now: 401 without a login, 403 for a run's session token, 404 for what is no checkpoint's UUID, 415 for odd types."""
        job = server.waiting_run(self.mallory)
        name = str(uuid.uuid4())
        self.assertEqual(server.http("GET", f"/checkpoints/{name}").status, 401)
        self.assertEqual(server.http("GET", f"/checkpoints/{name}", job.session).status, 403)
        for odd in (name, "x", "..%2f..%2fetc", name + "%00"):
            self.assertIn(server.http("GET", f"/checkpoints/{odd}", self.mallory).status, (400, 404), odd)
        self.assertEqual(server.http("GET", f"/checkpoints/{name}", self.mallory, headers={"Accept": "text/html\x1b[31m"}).status, 400)
        self.assertEqual(server.http("GET", f"/checkpoints/{name}", self.mallory, headers={"Accept": "text/html" + "x" * 2000}).status, 415)

    def test_the_configuration_is_for_admins_and_without_secrets(self):
        """a620492: there was no such route.
        now: 403 for users; admins see ******** where a name says secret, also in parts of the file that have no effect."""
        self.assertEqual(server.http("GET", "/api/v1/master/config", self.mallory).status, 403)
        answer = server.http("GET", "/api/v1/master/config", server.admin())
        self.assertEqual(answer.status, 200)
        self.assertIn("minio.example", answer.text)
        for secret in ("database-secret", "key-secret", server.config["security"]["initial_user_password"]):
            self.assertNotIn(secret, answer.text)


if __name__ == "__main__":
    unittest.main()
