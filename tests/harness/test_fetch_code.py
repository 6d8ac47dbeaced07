import functools
import http.server
import shutil
import sys
import threading
import unittest

from fetch_case import FetchCase, git
from shipper_case import HARNESS


class FetchCodeTest(FetchCase):
    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed, so there is no certificate to test with")
    def test_asks_a_server_whose_certificate_is_for_another_name(self):
        cert = self.speak_tls()
        self.server.answer = self.answer
        self.server.start()
        code, out, err = self.fetch(self.of_git(), DET_MASTER_CERT_FILE=cert, DET_MASTER_CERT_NAME="the-server")
        self.assertEqual(code, 0, err)
        self.assertIn("model code is commit %s" % self.first, out)
        code, out, err = self.fetch(self.of_git(), DET_MASTER_CERT_FILE="NoVerify")
        self.assertEqual(code, 0, err)

    def test_a_server_that_refuses_is_not_asked_again(self):
        self.server.other_answers = [403]
        code, _, err = self.fetch(self.of_git())
        self.assertEqual(code, 1)
        self.assertIn("the commit to train could not be settled: 403", err)

    def test_a_server_that_is_away_for_a_moment_is_asked_again(self):
        self.server.other_answers = [503, 502]
        code, out, err = self.fetch(self.of_git())
        self.assertEqual(code, 0, err)
        self.assertIn("model code is commit %s" % self.first, out)

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

    def repository(self, name, files):
        """Another one beside the first; its commit."""
        folder = self.folder / name
        folder.mkdir()
        git(folder, "init", "--quiet", "-b", "main")
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return self.commit_in(folder)

    @staticmethod
    def commit_in(folder):
        git(folder, "add", "-A")
        git(folder, "commit", "--quiet", "-m", "x")
        return git(folder, "rev-parse", "HEAD")

    def add_submodule(self, origin, url, place):
        git(origin, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, place)
        return self.commit_in(origin)

    def test_brings_submodules_at_the_commits_that_the_repository_names(self):
        self.repository("deepest", {"d.py": "d\n"})
        self.repository("library", {"a.py": "old\n"})
        self.add_submodule(self.folder / "library", "../deepest", "vendor/deepest")
        self.add_submodule(self.origin, "file://%s" % (self.folder / "library"), "src/library")
        # The submodule goes on, the repository does not name that commit.
        (self.folder / "library" / "a.py").write_text("new\n")
        self.commit_in(self.folder / "library")
        self.assertEqual(self.fetch(self.of_git())[0], 0)
        files = self.files()
        self.assertEqual((files["src/library/a.py"], files["src/library/vendor/deepest/d.py"]), ("old\n", "d\n"))
        self.assertEqual(files["train.py"], "print(1)\n")

    def test_brings_what_release_archives_leave_out(self):
        self.commit({"data/one.txt": "1\n", "id.txt": "$Format:%H$\n", ".gitattributes": "data export-ignore\nid.txt export-subst\n"})
        self.assertEqual(self.fetch(self.of_git())[0], 0)
        self.assertEqual((self.files()["data/one.txt"], self.files()["id.txt"]), ("1\n", "$Format:%H$\n"))

    def test_what_it_brings_is_kept_for_checkpoints(self):
        kept = self.folder / "run" / "train" / "model"
        kept.mkdir(parents=True)
        (self.work / "train.py").write_text("the image's\n")
        self.assertEqual(self.fetch(self.of_git(), DET_RUN_DIR=str(self.folder / "run"))[0], 0)
        for folder in (kept, self.work):
            self.assertEqual((folder / "train.py").read_text(), "print(1)\n")
            self.assertEqual((folder / "src" / "deep" / "model.py").read_text(), "one\n")

    def test_a_host_that_is_away_for_a_moment_is_asked_again(self):
        git(self.origin, "update-server-info")
        refused = []

        class Files(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if len(refused) < 2:
                    refused.append(self.path)
                    self.send_error(502)
                else:
                    super().do_GET()

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(self.origin / ".git")))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        code, _, err = self.fetch({"git": {"url": "http://127.0.0.1:%d/" % server.server_port}}, DET_GIT_PAUSE="0.1")
        self.assertEqual(code, 0, err)
        self.assertIn("error: 502; trying again", err.replace("'", ""))
        self.assertEqual(self.files()["train.py"], "print(1)\n")

    def test_of_a_folder_it_brings_its_own_submodules_only(self):
        self.repository("library", {"a.py": "a\n"})
        self.add_submodule(self.origin, "../library", "src/library")
        git(self.origin, "config", "-f", ".gitmodules", "submodule.other.path", "other")
        self.add_submodule(self.origin, "../library", "unused")
        git(self.origin, "config", "-f", ".gitmodules", "submodule.unused.url", "../none")
        self.commit_in(self.origin)
        code, _, err = self.fetch(self.of_git(path="src"))
        self.assertEqual(code, 0, err)
        self.assertEqual(self.files(), {"deep/model.py": "one\n", "library/a.py": "a\n"})

    def refused_half_way(self, *words):
        code, _, err = self.fetch(self.of_git())
        self.assertEqual(code, 1, err)
        for word in words:
            self.assertIn(word, err)

    def test_says_which_submodule_cannot_be_fetched(self):
        self.repository("library", {"a.py": "a\n"})
        self.add_submodule(self.origin, "../library", "lib")
        git(self.origin, "config", "-f", ".gitmodules", "submodule.lib.url", "../gone")
        self.commit_in(self.origin)
        self.refused_half_way("its submodule lib: cannot fetch", "/gone")

    def test_a_submodule_with_an_address_that_runs_programs_is_not_fetched(self):
        self.repository("library", {"a.py": "a\n"})
        self.add_submodule(self.origin, "../library", "lib")
        git(self.origin, "config", "-f", ".gitmodules", "submodule.lib.url", "ext::sh -c touch%s" % (self.folder / "ran"))
        self.commit_in(self.origin)
        self.refused_half_way("its submodule lib has the address ext::", "https, http and ssh are fetched")

    def test_files_of_git_lfs_are_named_and_not_trained_on(self):
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize 12345\n" % ("0" * 64)
        self.commit({"data/weights.bin": pointer})
        self.refused_half_way("files of Git LFS are not fetched", "has 1: data/weights.bin", "spec.context.git.path")
        self.pin = ""
        self.assertEqual(self.fetch(self.of_git(path="src"))[0], 0)

    def test_a_submodules_address_is_seen_from_its_parents(self):
        sys.path.insert(0, str(HARNESS))
        self.addCleanup(sys.path.remove, str(HARNESS))
        from fetch_code import absolute_url
        for url, parent, wanted in (("../b.git", "https://h/team/a.git", "https://h/team/b.git"), ("./b", "https://h/a", "https://h/a/b"),
                                    ("../../x/b", "ssh://git@h:22/team/a/", "ssh://git@h:22/x/b"), ("../b", "git@h:team/a", "git@h:team/b"),
                                    ("../b", "git@h:a", "git@h:b"), ("https://o/b", "https://h/a", "https://o/b")):
            self.assertEqual(absolute_url(url, parent), wanted)

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

    def test_says_what_a_volume_does_not_give_out(self):
        (self.folder / "claim" / "train.py").mkdir(parents=True)
        (self.work / "train.py").write_text("a file where the volume has a folder\n")
        code, _, err = self.fetch({"pvc": {"claimName": "code"}}, DET_CODE_FOLDER=str(self.folder / "claim"))
        self.assertEqual(code, 1)
        self.assertIn("ERROR: spec.context.pvc: the code cannot be copied: ", err)
        self.assertIn("spec.context.pvc: the code cannot be copied: ", self.message.read_text())

    def test_says_which_folder_a_volume_has_not(self):
        self.refused({"pvc": {"claimName": "code", "path": "none"}}, "spec.context.pvc.path: 'none' is not a folder in the volume of claim code", DET_CODE_FOLDER=str(self.folder))


if __name__ == "__main__":
    unittest.main()
