import json
import os
import pathlib
import unittest
import urllib.error
import urllib.request

from task_case import TaskCase, free_port

_CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
_CACHE = os.environ.get("DET_OPERATOR_CACHE") or _CACHE + "/det-operator"
_VENV = pathlib.Path(_CACHE) / "venv-jupyterlab"
_KERNEL = "import sys; from ipykernel.kernelspec import install; install(user=True, kernel_name='mine', display_name='Mine')"


class NotebookCase(TaskCase):
    def home(self):
        folder = self.folder / "home"
        folder.mkdir()
        return folder


class FoldersTest(NotebookCase):
    """Where a notebook has its settings, kernels and tokens; in the place of JupyterLab stands a program that prints its environment."""

    def variables(self, **env):
        program = self.folder / "bin" / "jupyter-lab"
        program.parent.mkdir(exist_ok=True)
        program.write_text("#!/bin/sh\nenv | grep ^JUPYTER | sort\n")
        program.chmod(0o755)
        path = "%s:%s" % (program.parent, os.environ["PATH"])
        given = {name: None for name in os.environ if name.startswith(("JUPYTER", "XDG_"))}
        env = dict(given, PATH=path, DET_NOTEBOOK_TOKEN="the-token", NOTEBOOK_PORT="1", **env)
        code, _, _ = self.run_task("NOTEBOOK", **env)
        self.assertEqual(code, 0, self.log())
        return dict(line.split("=", 1) for line in self.lines() if line.startswith("JUPYTER"))

    def test_are_those_of_the_home(self):
        home, ours = self.home(), self.run_dir / "jupyter"
        self.assertEqual(self.variables(HOME=str(home)), {"JUPYTER_CONFIG_PATH": str(ours / "ours"), "JUPYTER_RUNTIME_DIR": str(ours / "runtime")})
        for folder in (home / ".jupyter", home / ".local" / "share" / "jupyter", ours / "ours", ours / "runtime"):
            self.assertEqual(folder.stat().st_mode & 0o777, 0o700, folder)
        self.assertEqual((ours / "ours" / "jupyter_server_config.json").stat().st_mode & 0o777, 0o600)

    def test_are_the_tasks_own_where_the_home_cannot_be_written(self):
        ours = str(self.run_dir / "jupyter")
        self.assertEqual(self.variables(HOME="/proc/none", JUPYTER_PATH="/a"), {
            "JUPYTER_CONFIG_DIR": ours + "/config", "JUPYTER_CONFIG_PATH": ours + "/ours:/proc/none/.jupyter", "JUPYTER_DATA_DIR": ours + "/data",
            "JUPYTER_PATH": "/a:/proc/none/.local/share/jupyter", "JUPYTER_RUNTIME_DIR": ours + "/runtime"})

    def test_are_what_the_user_says(self):
        found = self.variables(HOME="/proc/none", JUPYTER_CONFIG_DIR="/b", JUPYTER_DATA_DIR="/c", JUPYTER_RUNTIME_DIR="/d", JUPYTER_CONFIG_PATH="/e")
        ours = str(self.run_dir / "jupyter" / "ours")
        self.assertEqual(found, {"JUPYTER_CONFIG_DIR": "/b", "JUPYTER_CONFIG_PATH": ours + ":/e", "JUPYTER_DATA_DIR": "/c", "JUPYTER_RUNTIME_DIR": "/d"})


@unittest.skipUnless((_VENV / "bin" / "jupyter-lab").exists(), "%s is missing: run scripts/notebook-env.sh" % _VENV)
class JupyterLabTest(NotebookCase):
    """JupyterLab as people find it: their settings, their kernels, and who gets in."""

    def open(self, **env):
        self.port = free_port()
        variables = dict(
            PATH="%s/bin:%s" % (_VENV, os.environ["PATH"]),
            DET_PYTHON_EXECUTABLE=str(_VENV / "bin" / "python3"),
            DET_NOTEBOOK_TOKEN="the-token",
            NOTEBOOK_PORT=str(self.port),
            JUPYTER_CONFIG_PATH=None,
        )
        self.wait_until_ready(self.boot("NOTEBOOK", **dict(variables, **env)))

    def ask(self, path, token="the-token"):
        """JSON of JupyterLab's API, or the status of a refusal."""
        request = urllib.request.Request("http://127.0.0.1:%d/proxy/t-1/%s" % (self.port, path), headers={"Authorization": "token " + token})
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=240) as answer:
                return json.loads(answer.read().decode())
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def kernels(self):
        return set(self.ask("api/kernelspecs")["kernelspecs"])

    def test_settings_and_kernels_are_those_of_the_home(self):
        home = self.home()
        theme = home / ".jupyter" / "lab" / "user-settings" / "@jupyterlab" / "apputils-extension"
        theme.mkdir(parents=True)
        (theme / "themes.jupyterlab-settings").write_text(json.dumps({"theme": "JupyterLab Dark"}))
        self.open(HOME=str(home), DET_STARTUP_HOOK='"$DET_PYTHON_EXECUTABLE" -c "%s"' % _KERNEL)
        self.assertEqual(self.kernels(), {"python3", "mine"})
        self.assertEqual(self.ask("lab/api/settings/@jupyterlab/apputils-extension:themes")["settings"], {"theme": "JupyterLab Dark"})

    def test_the_settings_of_an_image_do_not_decide_who_gets_in(self):
        home = self.home()
        (home / ".jupyter").mkdir()
        settings = {"ServerApp": {"token": "", "password": "argon2:x", "certfile": "/none.pem"}, "IdentityProvider": {"token": ""},
                    "PasswordIdentityProvider": {"hashed_password": "argon2:x", "password_required": True}}
        (home / ".jupyter" / "jupyter_server_config.json").write_text(json.dumps(settings))
        self.open(HOME=str(home))
        self.assertEqual(self.ask("api/kernels"), [])
        self.assertEqual(self.ask("api/kernels", token=""), 403)


if __name__ == "__main__":
    unittest.main()
