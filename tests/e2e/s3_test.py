"""Checkpoints and TensorBoard files in S3: saved, shown, downloaded, registered and removed. The server is versitygw, which checks signatures
and keeps a bucket as a folder; the clients are boto3 in the tasks, the operator, and both programs called det."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from stack import CACHE, ROOT, api, det, run, sql, wait_for
from tasks_test import proxied, status_of_task
from waiting import files_below, free_port

OUR_DET = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))
SERVER = CACHE / "tools" / "versitygw"
STORAGE = {"type": "s3", "bucket": "checkpoints", "prefix": "of/us", "access_key": "key", "secret_key": "it is secret", "save_trial_best": 0}


@unittest.skipUnless(SERVER.exists(), "not run: scripts/build-tools.sh versitygw has not been run")
class Buckets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        port = free_port()
        cls.url = f"http://127.0.0.1:{port}"
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.bucket = cls.folder / "objects" / "checkpoints"
        cls.bucket.mkdir(parents=True)
        (cls.folder / "about").mkdir()  # of the objects; the folder's file system need not have extended attributes
        log = cls.enterClassContext(tempfile.TemporaryFile())
        environment = {**os.environ, "ROOT_ACCESS_KEY": STORAGE["access_key"], "ROOT_SECRET_KEY": STORAGE["secret_key"]}
        server = subprocess.Popen([SERVER, "--quiet", "--port", f"127.0.0.1:{port}", "posix", "--sidecar", cls.folder / "about", cls.folder / "objects"],
                                  env=environment, stdout=log, stderr=log)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        wait_for("the S3 server answers", lambda: cls.refusal() == 403)

    @classmethod
    def refusal(cls):
        """The status for somebody without a signature; None while nobody answers."""
        try:
            with urllib.request.urlopen(cls.url + "/checkpoints", timeout=10) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code
        except OSError:
            return None

    def keys(self, prefix):
        return [str(path.relative_to(self.bucket)) for path in files_below(self.bucket / prefix)]

    def run_example(self, name):
        example = ROOT / "examples" / name
        storage = [word for key, value in {**STORAGE, "endpoint_url": self.url}.items() for word in ("--config", f"checkpoint_storage.{key}={value}")]
        experiment = int(re.search(r"Created experiment (\d+)", det("e", "create", example / "const.yaml", example, *storage).out).group(1))
        state = lambda: sql(f"SELECT state FROM experiments WHERE id = {experiment}")[0][0]
        wait_for(f"experiment {experiment} ends", lambda: state() in ("COMPLETED", "ERROR", "CANCELED"))
        (trial,) = sql(f"SELECT id FROM trials WHERE experiment_id = {experiment}")[0]
        self.assertEqual(state(), "COMPLETED", det("t", "logs", trial).out[-3000:])
        return experiment, trial

    def test_what_a_trial_saved_is_shown_collected_and_deleted(self):
        experiment, trial = self.run_example("digits_pytorch")
        saved = dict(sql(f"SELECT uuid, steps FROM checkpoints WHERE trial_id = {trial}"))
        latest = max(saved, key=lambda uuid: int(saved[uuid]))
        self.assertGreater(len(saved), 1)
        files = lambda: {key.split("/")[2] for key in self.keys("of/us/")} & set(saved)
        wait_for(lambda: f"only {latest} of {saved} is left: {files()}", lambda: files() == {latest})
        with tempfile.TemporaryDirectory() as folder:
            det("checkpoint", "download", latest, "-o", pathlib.Path(folder) / "c")
            self.assertTrue((pathlib.Path(folder) / "c" / "metadata.json").exists())
            # The same files through the server, by either program.
            contents = lambda top: {path.relative_to(top): path.read_bytes() for path in files_below(top)}
            det("checkpoint", "download", latest, "-o", pathlib.Path(folder) / "theirs", "--mode", "master")
            run(OUR_DET, "checkpoint", "download", latest, "-o", pathlib.Path(folder) / "ours")
            for name in ("theirs", "ours"):
                self.assertEqual(contents(pathlib.Path(folder) / name), contents(pathlib.Path(folder) / "c"))
        det("model", "create", "digits-in-s3")
        det("model", "register-version", "digits-in-s3", latest)
        self.assertIn(latest, det("model", "list-versions", "digits-in-s3").out)
        config = {"environment": {"environment_variables": ["DET_SKIP_PIP_INSTALL=1"]}}
        board = api("POST", "/api/v1/tensorboards", {"experimentIds": [experiment], "config": config})["tensorboard"]["id"]
        self.addCleanup(api, "POST", f"/api/v1/tensorboards/{board}/kill", {})
        wait_for("TensorBoard is ready", lambda: status_of_task(board).get("ready"))
        wait_for("it knows the trial", lambda: f"experiment/{experiment}/trial/{trial}" in proxied(f"/proxy/{board}/data/runs")[1])
        events = lambda: [key for key in self.keys("of/us/") if f"/experiment/{experiment}/" in key]
        self.assertTrue(events())
        det("e", "delete-tb-files", experiment)
        wait_for(lambda: f"its TensorBoard files are gone: {events()}", lambda: not events())
        api("DELETE", "/api/v1/models/digits-in-s3")
        det("checkpoint", "delete", latest, "--yes")
        wait_for("the last checkpoint is gone", lambda: not files() and sql(f"SELECT state FROM checkpoints WHERE uuid = '{latest}'") == [["DELETED"]])
        # The secret stays where it was put.
        self.assertNotIn("it is secret", str(api("GET", f"/api/v1/experiments/{experiment}")))


if __name__ == "__main__":
    unittest.main()
