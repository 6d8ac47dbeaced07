"""Mistakes that people make, of mistakes.yaml: each answer names the field or object, the value that is wrong, and what would work."""

import contextlib
import copy
import http.server
import os
import subprocess
import tempfile
import threading
import unittest

import yaml

from local import CACHE, KUBECTL, PATIENCE, PROGRAM, ROOT, Local, wait_for

DET = os.path.join(os.path.dirname(PROGRAM), "det")
HELM = CACHE / "tools" / "helm"
REGISTER = yaml.safe_load((ROOT / "tests" / "local_mode" / "mistakes.yaml").read_text())
EXPERIMENT = {"name": "base", "entrypoint": "python3 train.py", "searcher": {"name": "single", "metric": "loss"}, "max_restarts": 0}
GOOD = {"Experiment": {"config": EXPERIMENT}, "Task": {"type": "Command", "config": {}}, "ResourcePool": {}}


def changed(base, change):
    """`base` with `change` written over it; null takes a key away."""
    for key, value in change.items():
        if value is None:
            base.pop(key, None)
        elif isinstance(value, dict) and isinstance(base.get(key), dict):
            changed(base[key], value)
        else:
            base[key] = value
    return base


def missing_words(entry, text):
    """Which of what must be said is not."""
    flat = " ".join(text.split())
    return [f"{part}: {entry[part]}" for part in ("names", "value", "remedy") if part in entry and entry[part] not in flat]


@contextlib.contextmanager
def plain_server():
    """The address of a web server that is no master."""
    class Page(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.local = Local(slots=1)
        cls.local.start()
        cls.folder = cls.local.folder
        cls.context = cls.folder / "model"
        cls.context.mkdir()
        (cls.context / "train.py").write_text("pass\n")
        (cls.folder / "file").write_text("x")
        (cls.folder / "const.yaml").write_text(yaml.safe_dump(EXPERIMENT))

    @classmethod
    def tearDownClass(cls):
        cls.local.stop()
        cls.local.remove()

    def said_by(self, *command):
        """(exit status, what was printed)."""
        environment = {**self.local.environment(), "DET_MASTER": self.local.url, "HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder / "share")}
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, cwd=self.folder,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False)
        return done.returncode, done.stdout + done.stderr

    def check(self, entry, status, text):
        if entry.get("passes"):
            self.assertEqual(status, 0, text)
        else:
            self.assertIn(status, (1, 2), text)
        self.assertEqual(missing_words(entry, text), [], text)

    def each(self, kind, say):
        for entry in REGISTER[kind]:
            with self.subTest(entry["mistake"]):
                self.check(entry, *say(entry))

    def create(self, entry):
        file = self.folder / "exp.yaml"
        file.write_text(entry["text"] if "text" in entry else yaml.safe_dump(changed(copy.deepcopy(EXPERIMENT), entry.get("change", {}))))
        context = entry.get("context", self.context)
        with tempfile.TemporaryDirectory(dir=self.folder) as huge:
            if context == "HUGE":
                context = huge
                with open(os.path.join(huge, "big"), "wb") as big:
                    big.truncate(200 << 20)
            return self.said_by(DET, "experiment", "create", file, context, *entry.get("args", []))

    def test_in_a_configuration(self):
        self.each("config", self.create)

    def test_with_storage(self):
        self.each("storage", self.create)

    def test_on_the_command_line(self):
        self.each("command", lambda entry: self.said_by(DET, *entry["run"]))

    def test_on_the_network(self):
        with plain_server() as plain:
            def filled(word):
                return word.replace("PLAIN", plain).replace("PORT", str(self.local.port))
            for entry in REGISTER["network"]:
                with self.subTest(entry["mistake"]):
                    self.check({**entry, "value": filled(entry["value"])}, *self.said_by(DET, *map(filled, entry["run"])))

    def test_of_the_server(self):
        names = {"FILE": str(self.folder / "file"), "DATA": str(self.local.data)}
        for entry in REGISTER["server"]:
            with self.subTest(entry["mistake"]):
                entry = {**entry, **({"value": names.get(entry["value"], entry["value"])} if "value" in entry else {})}
                run = [names.get(word, word) for word in entry.get("run", [])]
                if "master" in entry:
                    (self.folder / "master.yaml").write_text(entry["master"] + "\n")
                    run = ["--config", self.folder / "master.yaml", "--check-config"]
                self.check(entry, *self.said_by(PROGRAM, *run))

    def stalled(self, kind, name):
        """What the object's condition says once it is refused."""
        status = self.local.get(kind, name).get("status", {})
        return next((one["message"] for one in status.get("conditions", []) if one["type"] == "Accepted" and one["status"] != "True"), "")

    def apply(self, entry, number):
        kind, name = entry["kind"], entry.get("name", f"mistake-{number}")
        spec = changed(copy.deepcopy(GOOD[kind]), entry.get("spec", {}))
        if "config" in entry:
            changed(spec["config"], entry["config"])
        made = {"apiVersion": "det-operator.dev/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}
        if kind != "ResourcePool":
            made["metadata"]["namespace"] = "default"
        done = self.local.kubectl("apply", "-f", "-", stdin=yaml.safe_dump(made), check=False)
        if not entry.get("waits"):
            return done.returncode, done.stdout + done.stderr
        self.assertEqual(done.returncode, 0, done.stderr)
        return 1, wait_for(lambda: f"{kind} {name} is refused", lambda: self.stalled(kind, name))

    def test_in_an_object(self):
        if not KUBECTL.exists():
            self.skipTest(f"Not run: {KUBECTL} is not there")
        for number, entry in enumerate(REGISTER["object"]):
            with self.subTest(entry["mistake"]):
                self.check(entry, *self.apply(entry, number))

    def test_in_values_of_the_chart(self):
        if not HELM.exists():
            self.skipTest(f"Not run: {HELM} is not there")
        sets = lambda entry: [word for value in entry["set"] for word in ("--set", value)]
        self.each("chart", lambda entry: self.said_by(HELM, "template", "det", ROOT / "helm" / "det-operator", *sets(entry)))


class Register(unittest.TestCase):
    def test_has_eighty_mistakes_of_every_kind(self):
        self.assertEqual(set(REGISTER), {"config", "storage", "command", "network", "server", "object", "chart"})
        self.assertGreaterEqual(sum(map(len, REGISTER.values())), 80)
        for kind, entries in REGISTER.items():
            for entry in entries:
                self.assertTrue(entry["names"] and entry["remedy"], f"{kind}: {entry}")

    def test_notices_what_is_not_said(self):
        entry = {"names": "a.b", "value": '"x"', "remedy": "write y"}
        self.assertEqual(missing_words(entry, 'a.b: wrong (it is "x");\n  write y'), [])
        self.assertEqual(missing_words(entry, 'a.b: wrong (it is "x")'), ["remedy: write y"])
        self.assertEqual(missing_words(entry, ""), ["names: a.b", 'value: "x"', "remedy: write y"])


if __name__ == "__main__":
    unittest.main()
