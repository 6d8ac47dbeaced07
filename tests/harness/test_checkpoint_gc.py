"""The real `determined` package, started as a pod of the checkpoint collector starts it, against a bucket that notes what it is asked."""

import http.server
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest
import urllib.parse

from shipper_case import HARNESS, VENV

_LIST = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>%s</ListBucketResult>'
_OBJECT = "<Contents><Key>%s</Key><Size>3</Size></Contents>"
_DELETED = '<DeleteResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s</DeleteResult>'
_REFUSED = "<Error><Key>%s</Key><Code>AccessDenied</Code><Message>no</Message></Error>"


class Bucket(http.server.BaseHTTPRequestHandler):
    """Of one bucket: lists by prefix, and deletes many at once, or refuses to."""

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        prefix = query.get("prefix", [""])[0]
        self.answer(_LIST % "".join(_OBJECT % key for key in sorted(self.server.keys) if key.startswith(prefix)))

    def do_POST(self):
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        asked = re.findall("<Key>(.*?)</Key>", text)
        if not self.server.refuses:
            self.server.keys -= set(asked)
        self.answer(_DELETED % "".join(_REFUSED % key for key in asked if self.server.refuses))

    def answer(self, text):
        self.send_response(200)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


@unittest.skipUnless(VENV.is_dir(), "%s is missing: run scripts/train-env.sh" % VENV)
class CheckpointGc(unittest.TestCase):
    def setUp(self):
        self.bucket = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
        self.bucket.keys, self.bucket.refuses = set(), False
        thread = threading.Thread(target=self.bucket.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.bucket.server_close)
        self.addCleanup(self.bucket.shutdown)

    def collect(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            storage = pathlib.Path(folder) / "storage.json"
            storage.write_text(json.dumps({"type": "s3", "bucket": "b", "access_key": "a", "secret_key": "s",
                                           "endpoint_url": "http://127.0.0.1:%d" % self.bucket.server_port}))
            for name, value in (("delete.json", ["11111111-1111-1111-1111-111111111111"]), ("globs.json", ["**/*"])):
                (pathlib.Path(folder) / name).write_text(json.dumps(value))
            command = [VENV / "bin" / "python", HARNESS / "checkpoint_gc.py", "--experiment-id", "1", "--storage-config", storage]
            env = {"PATH": os.environ["PATH"], "HOME": folder, "DET_CLUSTER_ID": "cluster"}
            return subprocess.run([*map(str, command), *[text.replace("FOLDER", folder) for text in arguments]], env=env,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, timeout=240)

    def test_takes_the_tensorboard_files_of_one_experiment_only(self):
        of = lambda number: "cluster/tensorboard/experiment/%d/trial/1/events" % number
        self.bucket.keys = {of(1), of(10), of(19), of(100)}
        ran = self.collect("--delete-tensorboards")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertEqual(self.bucket.keys, {of(10), of(19), of(100)})

    def test_what_the_bucket_refuses_is_not_called_deleted(self):
        self.bucket.refuses = True
        self.bucket.keys = {"cluster/tensorboard/experiment/1/events", "11111111-1111-1111-1111-111111111111/weights"}
        for arguments in (["--delete-tensorboards"], ["--delete", "FOLDER/delete.json", "--globs", "FOLDER/globs.json"]):
            with self.subTest(arguments=arguments[0]):
                ran = self.collect(*arguments)
                self.assertNotEqual(ran.returncode, 0, ran.stdout)
                self.assertIn("S3 refused to delete 1 objects", ran.stdout)
        self.assertEqual(len(self.bucket.keys), 2)


if __name__ == "__main__":
    unittest.main()
