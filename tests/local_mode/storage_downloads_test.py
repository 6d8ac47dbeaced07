"""Checkpoints in Google Cloud Storage, Azure's Blob Storage and S3, saved by a real trial with the clients of their makers, downloaded through
the server and compared byte for byte with what those clients read. The servers are fake-gcs-server, azurite and versitygw; the latter two check
signatures."""

import datetime
import io
import json
import os
import pathlib
import socket
import subprocess
import tarfile
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
import zipfile

from local import CACHE, ROOT, Local
from waiting import free_port, wait_for

OUR_DET = pathlib.Path(os.environ.get("DET_BIN", ROOT / "build" / "bin" / "det"))
GCS = CACHE / "tools" / "fake-gcs-server"
S3 = CACHE / "tools" / "versitygw"
AZURITE = CACHE / "azurite" / "node_modules" / ".bin" / "azurite-blob"
# Azurite's account, which everybody knows.
ACCOUNT, KEY = "devstoreaccount1", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

TRAIN = """
import os, random
import determined as det
from determined import core
with core.init(tensorboard_mode=core.TensorboardMode.MANUAL) as context:
    context.train.report_validation_metrics(steps_completed=1, metrics={"loss": 1})
    with context.checkpoint.store_path({"steps_completed": 1}) as (path, _):
        (path / "sub" / "nothing").mkdir(parents=True)
        (path / "sub" / "mod\\u00e8le 1+2 #&.pt").write_bytes(random.Random(1).randbytes(5_000_001))
        (path / "empty").write_text("")
        for i in range(int(os.environ["SMALL_FILES"])):
            (path / f"small-{i}").write_text(str(i))
"""


def contents(archive, form):
    """name -> bytes of the files, None of the folders."""
    if form == "application/zip":
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            return {one.filename: None if one.is_dir() else opened.read(one) for one in opened.infolist()}
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return {one.name + ("/" if one.isdir() else ""): None if one.isdir() else opened.extractfile(one).read() for one in opened}


def files_of(found):
    return {name: content for name, content in found.items() if not name.endswith("/")}


class Downloads:
    """What is the same for both; `objects(uuid)`: name -> bytes, as the maker's client reads them."""

    variables = {}
    small_files = 3

    @classmethod
    def start(cls, command, url):
        """A server of storage, and det-operator local beside it."""
        log = cls.enterClassContext(tempfile.TemporaryFile())
        server = subprocess.Popen([str(word) for word in command], stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        cls.addClassCleanup(server.wait)
        cls.addClassCleanup(server.terminate)
        wait_for("the storage's server answers", lambda: cls.answers(url))
        cls.local = Local(slots=1)
        plain = cls.local.environment
        cls.local.environment = lambda: {**plain(), **cls.variables}
        cls.addClassCleanup(cls.local.remove)
        cls.addClassCleanup(cls.local.stop)
        cls.local.start()

    @staticmethod
    def answers(url):
        try:
            with urllib.request.urlopen(url, timeout=5):
                return True
        except urllib.error.HTTPError as error:
            with error:
                return True
        except OSError:
            return False

    def call(self, method, path, body=None):
        answer = self.local.rest(method, path, body, self.local.token())
        self.assertEqual(answer.status, 200, answer)
        return answer.json

    def train(self, storage):
        """The uuid of what it saved."""
        config = {"name": "download", "entrypoint": ["python3", "-c", TRAIN], "max_restarts": 0, "resources": {"slots_per_trial": 1},
                  "searcher": {"name": "single", "metric": "loss"}, "checkpoint_storage": storage,
                  "environment": {"environment_variables": [f"{name}={value}" for name, value in
                                                            {**self.variables, "SMALL_FILES": self.small_files}.items()]}}
        number = self.call("POST", "/api/v1/experiments", {"config": json.dumps(config), "activate": True})["experiment"]["id"]
        state = lambda: self.call("GET", f"/api/v1/experiments/{number}")["experiment"]["state"]
        wait_for(lambda: f"it ends: {state()}", lambda: state() in ("STATE_COMPLETED", "STATE_ERROR"))
        (trial,) = self.call("GET", f"/api/v1/experiments/{number}/trials")["trials"]
        said = self.local.rest("GET", f"/api/v1/trials/{trial['id']}/logs", None, self.local.token()).text
        self.assertEqual(state(), "STATE_COMPLETED", said[-3000:])
        (checkpoint,) = self.call("GET", f"/api/v1/experiments/{number}/checkpoints")["checkpoints"]
        return checkpoint["uuid"]

    def download(self, uuid, form, **headers):
        request = urllib.request.Request(f"{self.local.url}/checkpoints/{uuid}",
                                         headers={"Authorization": "Bearer " + self.local.token(), "Accept": form, **headers})
        with urllib.request.urlopen(request, timeout=240) as answer:
            return answer.status, answer.headers, answer.read()

    def check(self, uuid):
        wanted = self.objects(uuid)
        self.assertEqual(self.our_det(uuid, self.local.url)[0], files_of(wanted))
        self.assertEqual(len(wanted[max(wanted, key=lambda name: len(wanted[name]))]), 5_000_001)
        self.assertEqual(len([name for name in wanted if name.startswith("small-")]), self.small_files)
        for form in ("application/gzip", "application/zip", "application/x-tar"):
            found = contents(self.download(uuid, form)[2], form)
            self.assertEqual(files_of(found), files_of(wanted), form)
            self.assertIn("sub/nothing/", found)
        self.check_parts(uuid)

    def our_det(self, uuid, url):
        """What our det saves, name -> bytes, and what it says meanwhile."""
        with tempfile.TemporaryDirectory() as folder:
            environment = {**self.local.environment(), "DET_USER": "determined", "DET_USER_TOKEN": self.local.token()}
            done = subprocess.run([OUR_DET, "-m", url, "checkpoint", "download", uuid, "-q", "-o", pathlib.Path(folder) / "c"],
                                  env=environment, capture_output=True, text=True, timeout=600)
            self.assertEqual(done.returncode, 0, done.stderr)
            top = pathlib.Path(folder) / "c"
            return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}, done.stderr

    def check_parts(self, uuid):
        """A tar goes on anywhere; of changed files it begins anew."""
        _, headers, whole = self.download(uuid, "application/x-tar")
        tag = headers["ETag"]
        for first in (1, 2_500_000, len(whole) - 1):
            status, headers, rest = self.download(uuid, "application/x-tar", **{"Range": f"bytes={first}-", "If-Range": tag})
            self.assertEqual((status, headers["ETag"], headers["Content-Range"]), (206, tag, f"bytes {first}-{len(whole) - 1}/{len(whole)}"))
            self.assertTrue(rest == whole[first:], f"other bytes from {first} on")
        self.write_anew(uuid, "small-1")
        status, headers, anew = self.download(uuid, "application/x-tar", **{"Range": "bytes=1000-", "If-Range": tag})
        self.assertEqual(status, 200)
        self.assertNotEqual(headers["ETag"], tag)
        self.assertEqual(contents(anew, "")["small-1"], self.objects(uuid)["small-1"])


@unittest.skipUnless(GCS.exists(), "not run: scripts/build-tools.sh fake-gcs-server has not been run")
class GoogleDownloads(Downloads, unittest.TestCase):
    small_files = 1005  # more than a page

    @classmethod
    def setUpClass(cls):
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        cls.variables = {"STORAGE_EMULATOR_HOST": url}
        cls.start([GCS, "-scheme", "http", "-host", "127.0.0.1", "-port", port, "-public-host", f"127.0.0.1:{port}", "-backend", "memory"],
                  url + "/storage/v1/b")
        from google.auth.credentials import AnonymousCredentials
        from google.cloud import storage

        client = storage.Client(project="ours", credentials=AnonymousCredentials(), client_options={"api_endpoint": url})
        cls.bucket = client.create_bucket("ckpt")

    def objects(self, uuid):
        before = f"of/us/{uuid}/"
        return {blob.name.removeprefix(before): blob.download_as_bytes() for blob in self.bucket.list_blobs(prefix=before)}

    def write_anew(self, uuid, name):
        blob = self.bucket.blob(f"of/us/{uuid}/{name}")
        blob.upload_from_string(blob.download_as_bytes())

    def test_what_a_trial_saved_in_google_cloud_storage_is_downloaded(self):
        self.check(self.train({"type": "gcs", "bucket": "ckpt", "prefix": "of/us"}))


@unittest.skipUnless(AZURITE.exists(), "not run: scripts/azurite.sh has not been run, or there is no Node 20")
class AzureDownloads(Downloads, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        port = free_port()
        cls.url = f"http://127.0.0.1:{port}/{ACCOUNT}"
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        # The Python client speaks a later version than this azurite was written for.
        cls.start([AZURITE, "--blobPort", port, "--location", folder, "--silent", "--skipApiVersionCheck"], cls.url)
        from azure.storage import blob

        cls.connection = f"DefaultEndpointsProtocol=http;AccountName={ACCOUNT};AccountKey={KEY};BlobEndpoint={cls.url};"
        cls.container = blob.BlobServiceClient.from_connection_string(cls.connection).create_container("ckpt")

    def objects(self, uuid):
        return {name.removeprefix(uuid + "/"): self.container.download_blob(name).readall()
                for name in self.container.list_blob_names(name_starts_with=uuid + "/")}

    def write_anew(self, uuid, name):
        content = self.container.download_blob(f"{uuid}/{name}").readall()
        self.container.upload_blob(f"{uuid}/{name}", content, overwrite=True)

    def test_what_a_trial_saved_in_azure_is_downloaded(self):
        uuid = self.train({"type": "azure", "container": "ckpt", "connection_string": self.connection})
        self.check(uuid)
        for name, how in self.other_ways().items():
            with self.subTest(name):
                self.reach_by(uuid, how)
                self.check(uuid)
        self.reach_by(uuid, {"connection_string": self.connection.replace(KEY, "d3Jvbmc=")})
        answer = self.local.rest("GET", f"/checkpoints/{uuid}", None, self.local.token())
        self.assertEqual(answer.status, 403, answer)
        self.assertIn("container 'ckpt', answers 403, AuthorizationFailure", answer.text)
        self.assertNotIn("d3Jvbmc=", answer.text)

    def other_ways(self):
        from azure.storage import blob

        may = blob.AccountSasPermissions(read=True, list=True)
        signature = blob.generate_account_sas(ACCOUNT, KEY, blob.ResourceTypes(service=True, container=True, object=True), may,
                                              datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1))
        return {"address and key": {"account_url": self.url, "credential": KEY},
                "address and signature": {"account_url": self.url, "credential": signature},
                "signature in the address": {"account_url": f"{self.url}?{signature}"},
                "signature in a connection string": {"connection_string": f"BlobEndpoint={self.url};SharedAccessSignature={signature}"}}

    def reach_by(self, uuid, how):
        """As if its experiment had this configuration. (A trial of harness 0.38.1 cannot: for TensorBoard it reads `account_url` as
        `access_url`, and says that there is none.)"""
        number = self.call("GET", f"/api/v1/checkpoints/{uuid}")["checkpoint"]["training"]["experimentId"]
        storage = json.dumps({"type": "azure", "container": "ckpt", **how})
        self.local.sql(f"UPDATE checkpoints SET storage_id = NULL WHERE uuid = '{uuid}'; "
                       f"UPDATE experiments SET config = jsonb_set(config, '{{checkpoint_storage}}', '{storage}') WHERE id = {number}")


class Cutter:
    """Stands before a server and cuts each of the first downloads after so many bytes."""

    def __init__(self, port, cuts, after):
        self.port, self.cuts, self.after = port, cuts, after
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self.carry, args=(client,), daemon=True).start()

    def carry(self, client):
        with client, socket.create_connection(("127.0.0.1", self.port)) as server:
            threading.Thread(target=self.carry_back, args=(client, server), daemon=True).start()
            self.pump(client, server)

    def carry_back(self, client, server):
        self.pump(server, client, self.after)

    def pump(self, source, target, most=None):
        carried = 0
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
                carried += len(piece)
                if most and carried > most and self.cuts > 0:
                    self.cuts -= 1
                    break
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


@unittest.skipUnless(S3.exists(), "not run: scripts/build-tools.sh versitygw has not been run")
class S3Downloads(Downloads, unittest.TestCase):
    storage = {"type": "s3", "bucket": "ckpt", "prefix": "of/us", "access_key": "key", "secret_key": "it is secret"}

    @classmethod
    def setUpClass(cls):
        port = free_port()
        cls.storage = {**cls.storage, "endpoint_url": f"http://127.0.0.1:{port}"}
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        (folder / "objects" / "ckpt").mkdir(parents=True)
        (folder / "about").mkdir()  # of the objects; the folder's file system need not have extended attributes
        cls.start(["env", "ROOT_ACCESS_KEY=key", "ROOT_SECRET_KEY=it is secret", S3, "--quiet", "--port", f"127.0.0.1:{port}",
                   "posix", "--sidecar", folder / "about", folder / "objects"], cls.storage["endpoint_url"])
        import boto3

        cls.bucket = boto3.resource("s3", endpoint_url=cls.storage["endpoint_url"], aws_access_key_id="key", aws_secret_access_key="it is secret",
                                    region_name="us-east-1").Bucket("ckpt")

    def objects(self, uuid):
        before = f"of/us/{uuid}/"
        return {one.key.removeprefix(before): one.get()["Body"].read() for one in self.bucket.objects.filter(Prefix=before)}

    def write_anew(self, uuid, name):
        """Other bytes: S3's tag is made of them."""
        self.bucket.put_object(Key=f"of/us/{uuid}/{name}", Body=b"1 and more")

    def test_what_a_trial_saved_in_s3_is_downloaded_and_goes_on_after_cuts(self):
        uuid = self.train(self.storage)
        wanted = files_of(self.objects(uuid))
        cutter = Cutter(self.local.port, cuts=3, after=1_200_000)
        self.addCleanup(cutter.listener.close)
        saved, said = self.our_det(uuid, cutter.url)
        self.assertEqual(saved, wanted)
        self.assertEqual(said.count("The connection was lost after "), 3, said)
        self.check(uuid)


if __name__ == "__main__":
    unittest.main()
