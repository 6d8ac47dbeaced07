import base64
import io
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
FOLDERS = sorted(path.parent for path in EXAMPLES.glob("*/const.yaml"))


def make(*arguments):
    command = [sys.executable, str(EXAMPLES / "make_experiment.py"), *map(str, arguments)]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)


class MakeExperiment(unittest.TestCase):
    def folder(self, **files):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        for name, content in files.items():
            path = pathlib.Path(scratch.name) / name.replace("__", "/").replace("_", ".")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
        return scratch.name

    def test_the_committed_objects_are_what_it_makes_of_the_folders(self):
        self.assertGreater(len(FOLDERS), 0)
        for folder in FOLDERS:
            with self.subTest(example=folder.name):
                self.assertEqual((folder / "experiment.yaml").read_text(), make(folder).stdout)

    def test_an_archive_holds_the_files_of_the_folder_and_is_the_same_each_time(self):
        for folder in FOLDERS:
            with self.subTest(example=folder.name):
                text = make(folder, "--archive").stdout
                self.assertEqual(text, make(folder, "--archive").stdout)
                packed = base64.b64decode(re.search(r"^    archive: (\S+)$", text, re.MULTILINE).group(1))
                with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
                    found = {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
                kept = {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}
                kept.pop("README.md"), kept.pop("experiment.yaml")
                self.assertEqual(found, kept)

    def test_what_a_block_of_text_cannot_hold_goes_into_binary_data(self):
        odd = {"a_bin": b"\xff\x00", "b_txt": b"no end of line", "c_txt": b" begins with a blank\n", "d_txt": b"\ttab\n"}
        text = make(self.folder(const_yaml=b"name: odd\n", **odd)).stdout
        binary = dict(re.findall(r"^  (\S+): (\S+)$", text.split("binaryData:\n")[1].split("---")[0], re.MULTILINE))
        expected = {name.replace("_", "."): base64.b64encode(content).decode() for name, content in odd.items()}
        self.assertEqual(binary, expected)

    def test_refuses_a_subfolder_in_a_config_map_and_says_what_works(self):
        folder = self.folder(const_yaml=b"name: deep\n", lib__a_py=b"x = 1\n")
        result = make(folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("lib/a.py is in a subfolder, which a ConfigMap has not: use --archive", result.stderr)
        self.assertEqual(make(folder, "--archive").returncode, 0)

    def test_refuses_an_archive_that_does_not_fit(self):
        noise = bytes((i * i * 2654435761 >> 13) & 255 for i in range(400000))
        result = make(self.folder(const_yaml=b"name: big\n", noise_bin=noise), "--archive")
        self.assertEqual(result.returncode, 1)
        self.assertIn("at most 150 KiB fit into an object", result.stderr)

    def test_asks_for_a_name_when_the_configuration_has_none_that_fits(self):
        folder = self.folder(const_yaml=b"name: My Experiment\n")
        self.assertIn("give --name", make(folder).stderr)
        self.assertIn("\n  name: mine\n", make(folder, "--name", "mine").stdout)


if __name__ == "__main__":
    unittest.main()
