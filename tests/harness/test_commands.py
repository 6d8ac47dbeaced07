import json
import os
import pathlib
import shutil
import tarfile
import unittest

from task_case import HARNESS, PYTHON, TaskCase, packed, wait_for
from wheelhouse import distribution, serve_wheel

_PREP = """
import os, sys
def det():
    print("det", *sys.argv[1:])
if __name__ == "__main__":
    print("prep", *sys.argv[1:])
    sys.exit(int(os.environ.get("TEST_PREP_CODE", "0")))
"""


class CommandTest(TaskCase):
    """Commands and generic tasks, in an image that has only Python."""

    def run_command(self, *words, task_type="COMMAND", **env):
        env.setdefault("DET_ENTRYPOINT", json.dumps(words))
        env.setdefault("DET_PYTHON_EXECUTABLE", "/usr/bin/python3")  # without the package
        return self.run_task(task_type, **env)[0]

    def test_one_word_is_text_for_the_shell(self):
        self.assertEqual(self.run_command("echo hi; exit 3"), 3)
        self.assertEqual(self.lines(), ["hi"])

    def test_several_words_are_a_program_and_its_arguments(self):
        self.assertEqual(self.run_command("printf", "%s|", "a b", "$HOME", ""), 0)
        self.assertEqual(self.lines(), ["a b|$HOME||"])

    def test_a_generic_task_is_the_same(self):
        self.assertEqual(self.run_command("echo generic", task_type="GENERIC"), 0)
        self.assertEqual(self.lines(), ["generic"])

    def test_ends_as_a_shell_would_when_the_program_cannot_be_run(self):
        self.assertEqual(self.run_command("no-such-program", "x"), 127)
        self.assertIn("cannot run no-such-program: No such file or directory", self.log())
        (self.workdir / "plain").write_text("text")
        self.assertEqual(self.run_command("./plain", "x"), 126)

    def test_says_what_is_wrong_with_the_entrypoint(self):
        for given in (None, "", "echo hi", "{}", "[1]"):
            with self.subTest(given=given):
                self.assertEqual(self.run_command(DET_ENTRYPOINT=given), 1)
                self.assertIn("DET_ENTRYPOINT is %r; a JSON list of words is needed" % (given or ""), self.log())

    def test_no_word_at_all_is_a_command_for_its_hooks(self):
        self.assertEqual(self.run_command(DET_STARTUP_HOOK="echo hooked"), 0)
        self.assertEqual(self.lines()[1:], ["hooked", "there is no entrypoint: only startup hooks ran"])

    def test_the_program_gets_the_signals_that_python_ignores(self):
        # `head` ends first; a program that ignores SIGPIPE complains instead of ending quietly.
        self.assertEqual(self.run_command("(yes; echo $? >&2) | head -n 1"), 0)
        self.assertEqual([line for line in self.lines() if "yes" in line], [])
        self.assertIn("141", self.lines())

    def test_the_program_is_the_task_itself(self):
        process = self.boot("COMMAND", DET_ENTRYPOINT=json.dumps(["trap 'echo stopped; exit 5' TERM; echo on; while :; do sleep 0.1; done"]),
                            DET_PYTHON_EXECUTABLE="/usr/bin/python3")
        self.server.wait_for_line("on\n")
        process.terminate()
        self.assertEqual(self.finish(process)[0], 5)
        self.assertIn("stopped", self.lines())

    def test_brings_the_files_and_runs_the_hooks_first(self):
        self.server.archive = packed(("sub/a.txt", "from the context\n"), ("run.sh", "#!/bin/sh\ncat sub/a.txt\necho $CLUSTER $OWN\n", 0o755),
                                     ("startup-hook.sh", "export OWN=$CLUSTER+own\n"))
        self.assertEqual(self.run_command("./run.sh", DET_STARTUP_HOOK="export CLUSTER=cluster"), 0, self.log())
        self.assertEqual(self.lines(), ["running startup hook %s/dynamic-tcd-startup-hook.sh" % self.run_dir, "running startup hook ./startup-hook.sh",
                                        "from the context", "cluster cluster+own"])

    def test_stops_at_a_hook_that_fails(self):
        self.assertEqual(self.run_command("echo ran", DET_STARTUP_HOOK="exit 4"), 4)
        self.assertEqual(self.lines()[-1], "the startup hook %s/dynamic-tcd-startup-hook.sh ended the task with exit code 4" % self.run_dir)
        self.assertNotIn("ran", self.lines())

    def test_a_hook_may_use_any_name(self):
        hook = "here=/nowhere python=none run_dir=/nowhere task_files=/nowhere startup_hook=x; fail() { :; }"
        self.assertEqual(self.run_command("echo ran", DET_STARTUP_HOOK=hook), 0, self.log())
        self.assertEqual(self.lines()[-1], "ran")

    def test_a_hook_may_choose_the_interpreter(self):
        (self.workdir / "other").write_text("#!/bin/sh\necho by another one\nexec /usr/bin/python3 \"$@\"\n")
        (self.workdir / "other").chmod(0o755)
        self.assertEqual(self.run_command("echo ran", DET_STARTUP_HOOK="export DET_PYTHON_EXECUTABLE=$PWD/other"), 0, self.log())
        self.assertEqual(self.lines()[1:], ["by another one", "ran"])

    def test_the_files_are_kept_for_checkpoints(self):
        self.server.archive = packed(("sub/a.txt", "from the context\n"))
        self.assertEqual(self.run_command("cat $DET_RUN_DIR/train/model/sub/a.txt sub/a.txt"), 0, self.log())
        self.assertEqual(self.lines(), ["from the context"] * 2)

    def package(self):
        folder = self.folder / "site" / "determined" / "exec"
        folder.mkdir(parents=True)
        for each in (folder.parent, folder):
            (each / "__init__.py").write_text("")
        (folder / "prep_container.py").write_text(_PREP)
        return str(folder.parent.parent)

    def test_tells_the_package_of_an_image_that_has_it(self):
        self.assertEqual(self.run_command("echo ran", PYTHONPATH=self.package()), 0)
        self.assertEqual(self.lines(), ["prep", "ran"])

    def test_a_package_that_does_not_work_is_no_obstacle(self):
        self.assertEqual(self.run_command("echo ran", PYTHONPATH=self.package(), TEST_PREP_CODE="1"), 0)
        self.assertIn("the package 'determined' of this image does not work", self.log())
        self.assertIn("ran", self.lines())

    def test_hooks_and_programs_know_the_interpreter_that_nobody_chose(self):
        hook = '"$DET_PYTHON_EXECUTABLE" -c "print(42)"'
        self.assertEqual(self.run_command("echo $DET_PYTHON_EXECUTABLE", DET_PYTHON_EXECUTABLE=None, DET_STARTUP_HOOK=hook), 0, self.log())
        self.assertEqual(self.lines()[1:], ["42", "python3"])

    def run_in_bare_image(self, wheels, *words, **env):
        return self.run_command(*words, **dict(dict(DET_HARNESS_WHEELS=wheels, DET_HARNESS_VERSION="0.38.1", DET_MASTER_HOST="127.0.0.1"), **env))

    def serve_package(self, **options):
        return serve_wheel(self, pathlib.Path(self.package()), **options)

    def test_an_image_without_the_package_gets_it_and_det(self):
        code = self.run_in_bare_image(self.serve_package(), "det e list; $DET_PYTHON_EXECUTABLE -c 'import determined; print(determined.__file__)'")
        self.assertEqual(code, 0, self.log())
        self.assertEqual(self.lines()[:2], ["prep", "det e list"])
        self.assertTrue(self.lines()[2].startswith(str(self.run_dir / "harness-packages")), self.log())

    def test_a_package_of_the_image_that_does_not_fit_stays_as_it_is(self):
        image = distribution(self.folder / "image", "foo", "2.0")
        wheels = self.serve_package(needs=["foo<2"], beside=("foo", "1.0"))
        code = self.run_in_bare_image(wheels, "$DET_PYTHON_EXECUTABLE -c 'import determined, foo; print(foo.version)'", PYTHONPATH=str(image))
        self.assertEqual(code, 0, self.log())
        self.assertEqual(self.lines()[-1], "1.0", "what comes first is what the package needs")
        self.assertEqual((image / "foo.py").read_text(), "version = '2.0'\n")
        self.assertTrue((image / "foo-2.0.dist-info" / "METADATA").exists())

    def test_a_package_of_the_image_that_fits_is_not_installed_again(self):
        image = distribution(self.folder / "image", "foo", "2.0")
        wheels = self.serve_package(needs=["foo"], beside=("foo", "3.0"))
        code = self.run_in_bare_image(wheels, "$DET_PYTHON_EXECUTABLE -c 'import determined, foo; print(foo.version)'", PYTHONPATH=str(image))
        self.assertEqual(code, 0, self.log())
        self.assertEqual(self.lines()[-1], "2.0")

    def test_the_startup_hooks_have_it_too(self):
        self.assertEqual(self.run_in_bare_image(self.serve_package(), DET_ENTRYPOINT="[]", DET_STARTUP_HOOK="det from a hook"), 0, self.log())
        self.assertIn("det from a hook", self.lines())

    def goes_on_without_it(self, why, wheels, **env):
        self.assertEqual(self.run_in_bare_image(wheels, "echo ran", **env), 0, self.log())
        warnings = [record["log"] for record in self.server.records() if record.get("level") != "LOG_LEVEL_INFO"]
        self.assertEqual(len([line for line in warnings if "this task goes on without det" in line and why in line]), 1, warnings)
        self.assertEqual(len([line for line in warnings if "RUN /usr/bin/python3 -m pip install determined==0.38.1" in line]), 1, warnings)
        self.assertIn("ran", self.lines())
        self.assertNotIn("LOG_LEVEL_ERROR", [record.get("level") for record in self.server.records()])

    def test_goes_on_when_the_image_lacks_what_the_package_needs(self):
        self.goes_on_without_it("No matching distribution found for no-such-package", self.serve_package(needs=["no-such-package"]))

    def test_goes_on_when_nobody_serves_the_wheels(self):
        self.goes_on_without_it("No matching distribution found for determined==0.38.1", "http://127.0.0.1:9/")

    def test_goes_on_when_the_image_has_no_pip(self):
        (self.folder / "no-pip").mkdir()
        (self.folder / "no-pip" / "pip.py").write_text("raise SystemExit('No module named pip')")
        self.goes_on_without_it("pip: No module named pip", self.serve_package(), PYTHONPATH=str(self.folder / "no-pip"))

    def test_goes_on_when_the_package_cannot_be_imported(self):
        site = pathlib.Path(self.package())
        (site / "determined" / "__init__.py").write_text("raise RuntimeError('made for another Python')")
        self.goes_on_without_it("importing it: RuntimeError: made for another Python", serve_wheel(self, site))
        self.assertFalse((self.run_dir / "harness-packages").exists())

    def test_does_not_wait_for_a_pip_that_hangs(self):
        (self.folder / "slow").mkdir()
        (self.folder / "slow" / "pip.py").write_text("import time\ntime.sleep(3600)")
        harness = self.folder / "harness"
        shutil.copytree(str(HARNESS), str(harness))
        prepare = harness / "prepare.sh"
        prepare.write_text(prepare.read_text().replace("pip_limit=120", "pip_limit=0.5"))
        self.harness = harness
        self.goes_on_without_it("pip: it had not ended after 0.5 seconds", "http://127.0.0.1:9/", PYTHONPATH=str(self.folder / "slow"))

    def test_does_not_install_where_that_was_refused(self):
        for env in (dict(DET_SKIP_PIP_INSTALL="1"), dict(DET_HARNESS_WHEELS=None)):
            with self.subTest(env):
                self.assertEqual(self.run_in_bare_image("http://127.0.0.1:9/", "echo ran", **env), 0)
                self.assertEqual(set(self.lines()), {"ran"})

    def test_waits_for_a_server_that_comes_back(self):
        self.server.stop()
        process = self.boot("COMMAND", DET_ENTRYPOINT='["echo ran"]', DET_PYTHON_EXECUTABLE="/usr/bin/python3", DET_SHIPPER_EMIT_STDOUT_LOGS="1")
        self.assertIn("fetch_context.py", wait_for("the task asks for its files", lambda: self.descendants(process.pid)))
        self.server.start()
        self.assertEqual(self.finish(process)[0], 0)
        self.assertIn("ran", self.lines())

    def descendants(self, pid):
        """The command lines below a process, once one of them fetches the files."""
        found, todo = [], [str(pid)]
        while todo:
            each = todo.pop()
            try:
                found.append(pathlib.Path("/proc/%s/cmdline" % each).read_text())
                todo += pathlib.Path("/proc/%s/task/%s/children" % (each, each)).read_text().split()
            except OSError:
                continue
        text = "\n".join(found)
        return text if "fetch_context.py" in text else None


class ContextTest(TaskCase):
    """fetch_context.py alone."""

    def fetch_archive(self, archive):
        self.server.archive = archive
        argv = [PYTHON, "-E", "-s", "-B", str(HARNESS / "fetch_context.py")]
        return self.finish(self.start_program(argv, cwd=self.workdir, **self.pod_environment("COMMAND")))

    def fetch(self, *members):
        return self.fetch_archive(packed(*members))

    @staticmethod
    def link(name, to, kind=tarfile.SYMTYPE):
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, to
        return member

    @staticmethod
    def directory(name, mode=0o755):
        member = tarfile.TarInfo(name)
        member.type, member.mode = tarfile.DIRTYPE, mode
        return member

    def test_keeps_modes_folders_and_links(self):
        code, _, err = self.fetch(self.directory("d", 0o555), ("d/run", "x", 0o755), ("d/data", "y", 0o600), self.link("latest", "d/data"),
                                  self.link("hard", "d/data", tarfile.LNKTYPE), self.directory("empty"))
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(os.stat(str(self.workdir / "d/run")).st_mode & 0o777, 0o755)
        self.assertEqual(os.stat(str(self.workdir / "d/data")).st_mode & 0o777, 0o600)
        self.assertEqual(os.readlink(str(self.workdir / "latest")), "d/data")
        self.assertTrue(os.path.samefile(str(self.workdir / "hard"), str(self.workdir / "d/data")))
        self.assertTrue((self.workdir / "empty").is_dir())

    def test_no_files_are_no_error(self):
        self.assertEqual(self.fetch_archive(b""), (0, "", ""))
        self.assertEqual(os.listdir(str(self.workdir)), [])

    def test_refuses_what_leads_out_of_the_folder(self):
        (self.folder / "outside").mkdir()
        os.symlink(str(self.folder / "outside"), str(self.workdir / "old"))
        for name in ("../outside/a", "/tmp/a", "d/../../outside/a", "old/a"):
            with self.subTest(name=name):
                code, _, err = self.fetch((name, "x"))
                self.assertEqual(code, 1)
                self.assertIn(name, err)
        self.assertEqual(os.listdir(str(self.folder / "outside")), [])

    def test_writes_nothing_through_a_link_of_the_archive(self):
        (self.folder / "outside").mkdir()
        code, _, _ = self.fetch(self.link("way", str(self.folder / "outside")), ("way/a", "x"))
        self.assertEqual(os.listdir(str(self.folder / "outside")), [])
        self.assertNotEqual(code, 0)

    def test_refuses_devices_and_pipes(self):
        member = tarfile.TarInfo("pipe")
        member.type = tarfile.FIFOTYPE
        code, _, err = self.fetch(member)
        self.assertEqual(code, 1)
        self.assertIn("'pipe' in the task's files is neither a file, a folder nor a link", err)

    def test_says_when_the_files_cannot_be_unpacked(self):
        code, _, err = self.fetch_archive(b"no archive")
        self.assertEqual(code, 1)
        self.assertIn("ERROR: the task's files could not be unpacked", err)
        self.assertNotIn("Traceback", err)


if __name__ == "__main__":
    unittest.main()
