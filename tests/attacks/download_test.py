"""Checkpoints through the server, and the configuration that admins may read."""

import io
import os
import pathlib
import socket
import tarfile
import tempfile
import unittest
import uuid

from server import setup

# A server that dials nobody but this one for its users.
server = setup(globals(), config={"checkpoint_downloads": {"endpoints": ["http://minio.example:9000"]},
                                  "db": {"password": "database-secret"},
                                  "task_container_defaults": {"environment_variables": ["WANDB_API_KEY=key-secret"]}})


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
        odd_type = {"Accept": "text/html\x1b[31m" + "x" * 2000}
        self.assertIn(server.http("GET", f"/checkpoints/{name}", self.mallory, headers=odd_type).status, (400, 415))

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
