import functools
import http.server
import json
import os
import subprocess
import threading
import unittest

from shipper_case import HARNESS, PYTHON, ShipperCase

ALLOCATION = "1.a.1"


def git(folder, *arguments):
    env = dict(os.environ, GIT_AUTHOR_NAME="t", GIT_AUTHOR_EMAIL="t@t", GIT_COMMITTER_NAME="t", GIT_COMMITTER_EMAIL="t@t", GIT_CONFIG_NOSYSTEM="1", HOME=str(folder))
    return subprocess.run(["git", "-C", str(folder)] + list(arguments), env=env, check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout.decode().strip()


class FetchCodeTest(ShipperCase):
    """fetch_code.py against a repository in a folder, and a server that settles commits as the real one does."""

    def setUp(self):
        super().setUp()
        self.pin = ""
        self.server.answer = self.answer
        self.server.start()
        self.origin = self.folder / "origin"
        self.origin.mkdir()
        git(self.origin, "init", "--quiet", "-b", "main")
        self.first = self.commit({"train.py": "print(1)\n", "src/deep/model.py": "one\n"})
        self.work = self.folder / "work"
        self.work.mkdir()
        self.message = self.folder / "termination-log"

    def answer(self, method, path, body):
        self.assertEqual(path, "/api/v1/allocations/%s/code_commit" % ALLOCATION)
        if method == "POST" and not self.pin:
            self.pin = body["commit"]
        return {"commit": self.pin}

    def commit(self, files):
        for name, text in files.items():
            (self.origin / name).parent.mkdir(parents=True, exist_ok=True)
            (self.origin / name).write_text(text)
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "--quiet", "-m", "x")
        return git(self.origin, "rev-parse", "HEAD")

    def fetch(self, source, **env):
        process = subprocess.run(
            [PYTHON, "-B", str(HARNESS / "fetch_code.py")], cwd=str(self.work), stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
            env=self.environment(DET_CODE_SOURCE=json.dumps(source), DET_ALLOCATION_ID=ALLOCATION, DET_TERMINATION_LOG=str(self.message), **env))
        return process.returncode, process.stdout.decode(), process.stderr.decode()

    def of_git(self, **more):
        return {"git": dict({"url": "file://%s" % self.origin}, **more)}

    def files(self):
        return {str(p.relative_to(self.work)): p.read_text() for p in self.work.rglob("*") if p.is_file()}

    def refused(self, source, *words, **env):
        code, _, err = self.fetch(source, **env)
        self.assertEqual(code, 1, err)
        for word in words:
            self.assertIn(word, err)
            self.assertIn(word, self.message.read_text())
        self.assertEqual(self.files(), {})
        return err

    def test_brings_the_default_branch_and_settles_its_commit(self):
        code, out, err = self.fetch(self.of_git())
        self.assertEqual(code, 0, err)
        self.assertEqual(self.files(), {"train.py": "print(1)\n", "src/deep/model.py": "one\n"})
        self.assertEqual(self.pin, self.first)
        self.assertIn("model code is commit %s of file://" % self.first, out)

    def test_a_later_run_takes_the_settled_commit_though_the_branch_moved(self):
        self.pin = self.first
        self.commit({"train.py": "print(2)\n"})
        self.assertEqual(self.fetch(self.of_git(ref="main"))[0], 0)
        self.assertEqual(self.files()["train.py"], "print(1)\n")

    def test_a_pod_that_comes_second_takes_the_commit_of_the_first(self):
        second = self.commit({"train.py": "print(2)\n"})
        answers = ["", self.first]  # nothing is settled when it asks; the other pod was quicker
        self.server.answer = lambda method, path, body: {"commit": answers.pop(0)}
        self.assertEqual(self.fetch(self.of_git(ref="main"))[0], 0)
        self.assertEqual(self.files()["train.py"], "print(1)\n", second)

    def test_a_settled_commit_whose_branch_is_gone_is_brought(self):
        git(self.origin, "checkout", "--quiet", "-b", "side")
        side = self.commit({"train.py": "side\n"})
        git(self.origin, "tag", "kept")
        git(self.origin, "checkout", "--quiet", "main")
        git(self.origin, "branch", "-D", "side")
        self.pin = side
        self.assertEqual(self.fetch(self.of_git(ref="side"))[0], 0)
        self.assertEqual(self.files()["train.py"], "side\n")

    def test_takes_tags_and_commits_by_name(self):
        git(self.origin, "tag", "-a", "v1", "-m", "one")
        self.commit({"train.py": "print(2)\n"})
        for ref in ("v1", self.first):
            with self.subTest(ref):
                self.pin = ""
                self.assertEqual(self.fetch(self.of_git(ref=ref))[0], 0)
                self.assertEqual(self.pin, self.first)
                self.assertEqual(self.files()["train.py"], "print(1)\n")

    def test_brings_only_the_folder_that_was_named(self):
        self.assertEqual(self.fetch(self.of_git(path="src/deep/"))[0], 0)
        self.assertEqual(self.files(), {"model.py": "one\n"})

    def test_over_http(self):
        git(self.origin, "update-server-info")

        class Files(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_):
                pass

        folder = str(self.origin / ".git")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=folder))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        # A server of plain files gives out neither single commits nor short histories: everything is brought.
        for ref in (self.first, "main", None):
            with self.subTest(ref):
                self.pin = ""
                code, _, err = self.fetch({"git": {"url": "http://127.0.0.1:%d" % server.server_port, "ref": ref}})
                self.assertEqual(code, 0, err)
                self.assertEqual(self.pin, self.first)
                self.assertEqual(self.files()["train.py"], "print(1)\n")

    def test_says_which_branch_is_not_there(self):
        self.refused(self.of_git(ref="nonesuch"), "spec.context.git: cannot fetch nonesuch of file://", "couldn't find remote ref nonesuch")

    def test_says_which_repository_is_not_there(self):
        self.refused({"git": {"url": "file://%s/none" % self.folder}}, "spec.context.git: cannot fetch HEAD of file://")

    def test_says_which_folder_is_not_there(self):
        self.refused(self.of_git(path="none"), "spec.context.git.path: 'none' is not a folder in commit %s" % self.first)

    def test_says_what_to_add_to_an_image_without_git(self):
        self.refused(self.of_git(), "needs the program git in the image", "apt-get install -y git", PATH=str(self.folder))

    def test_gives_the_secret_to_git_and_to_nobody_else(self):
        secret = self.folder / "secret"
        secret.mkdir()
        (secret / "username").write_text("ann\n")
        (secret / "password").write_text("hunter2\n")
        seen = []

        class Closed(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                seen.append(self.headers.get("Authorization"))
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Closed)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        err = self.refused({"git": {"url": "http://127.0.0.1:%d/a" % server.server_port}}, "Authentication failed", DET_GIT_SECRET_FOLDER=str(secret))
        self.assertIn("Basic YW5uOmh1bnRlcjI=", seen)
        self.assertNotIn("hunter2", err + self.message.read_text())

    def test_copies_a_volume(self):
        claim = self.folder / "claim"
        (claim / "lost+found").mkdir(parents=True)
        (claim / "a" / "b").mkdir(parents=True)
        (claim / "a" / "train.py").write_text("x")
        (claim / "a" / "b" / "c.py").write_text("y")
        self.assertEqual(self.fetch({"pvc": {"claimName": "code"}}, DET_CODE_FOLDER=str(claim))[0], 0)
        self.assertEqual(self.files(), {"a/train.py": "x", "a/b/c.py": "y"})
        code, out, _ = self.fetch({"pvc": {"claimName": "code", "path": "a"}}, DET_CODE_FOLDER=str(claim))
        self.assertEqual(code, 0)
        self.assertEqual(self.files()["train.py"], "x")
        self.assertIn("model code is from claim code, folder a", out)

    def test_says_which_folder_a_volume_has_not(self):
        self.refused({"pvc": {"claimName": "code", "path": "none"}}, "spec.context.pvc.path: 'none' is not a folder in the volume of claim code", DET_CODE_FOLDER=str(self.folder))


if __name__ == "__main__":
    unittest.main()
