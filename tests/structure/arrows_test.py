"""The folder graph: every #include must follow an arrow that CMakeLists.txt draws, and third-party headers stay where the
design put them. Run: python3 -m unittest discover -s tests/structure -p '*_test.py'"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^\s*#include\s+([<"])([^>"]+)[>"]', re.M)

# header prefix -> the places that may include it; a folder, or single files
THIRD_PARTY = {
    "curl/": ["base/curl_transport.cc", "base/curl_", "cli/"],
    "pqxx/": ["pg/", "store/"],
    "libpq-fe.h": ["pg/", "store/"],
    "boost/beast": ["http/", "base/asio_beast", "cli/websocket_tunnel"],
    "yaml-cpp/": ["base/yaml.cc", "base/yaml_"],
    "CLI/": ["cli/", "main/"],
    "spdlog/": ["base/log.cc"],
    "archive": ["base/archive_handle.h"],
    "re2/": ["base/pattern.cc"],
    "boost/regex": [],
    "zstd.h": ["store/"],
    "simdjson.h": ["api/plain_json.h", "api/logs/plain_", "api/trials/plain_", "k8sclient/object_reader"],
}


def declared_arrows():
    """folder -> folders it may include, as CMakeLists.txt says."""
    text = (ROOT / "CMakeLists.txt").read_text()
    arrows = {}
    for name, depends in re.findall(r"^det_library\((\w+) DEPENDS ([^)]*)\)", text, re.M):
        arrows[name] = {d for d in depends.split() if not d.startswith("det_third_party")}
    return arrows


def sources(folder):
    for pattern in ("*.h", "*.cc"):
        yield from sorted((ROOT / folder).rglob(pattern))


class Arrows(unittest.TestCase):
    def setUp(self):
        self.arrows = declared_arrows()
        self.assertGreaterEqual(len(self.arrows), 13, "CMakeLists.txt was not understood")

    def test_includes_follow_the_arrows(self):
        wrong, seen = [], 0
        for folder, allowed in self.arrows.items():
            for path in sources(folder):
                for bracket, header in INCLUDE.findall(path.read_text()):
                    target = header.split("/")[0]
                    if bracket == '"' and target in self.arrows:
                        seen += 1
                        if target != folder and target not in allowed:
                            wrong.append(f"{path.relative_to(ROOT)} includes {header}")
        self.assertGreater(seen, 0)
        self.assertEqual(wrong, [], "arrows that the design does not have")

    def test_every_declared_arrow_is_used(self):
        unused = []
        for folder, allowed in self.arrows.items():
            used = {header.split("/")[0] for path in sources(folder) for bracket, header in INCLUDE.findall(path.read_text()) if bracket == '"'}
            unused += [f"{folder} -> {target}" for target in sorted(allowed - used)]
        self.assertEqual(unused, [], "CMakeLists.txt declares more than the code needs")

    def test_quoted_includes_are_full_paths(self):
        wrong = []
        for folder in [*self.arrows, "main"]:
            for path in sources(folder):
                for bracket, header in INCLUDE.findall(path.read_text()):
                    if bracket == '"' and not (ROOT / header).exists() and not header.startswith("generated/"):
                        wrong.append(f"{path.relative_to(ROOT)} includes {header}")
        self.assertEqual(wrong, [])

    def test_third_party_headers_stay_in_their_place(self):
        wrong = []
        for folder in [*self.arrows, "main"]:
            for path in sources(folder):
                relative = str(path.relative_to(ROOT))
                for bracket, header in INCLUDE.findall(path.read_text()):
                    for prefix, places in THIRD_PARTY.items():
                        if bracket == "<" and header.startswith(prefix):
                            if not any(relative.startswith(place) for place in places):
                                wrong.append(f"{relative} includes <{header}>")
        self.assertEqual(wrong, [])

    def test_pure_folders_know_no_asio(self):
        wrong = []
        for folder in ("model", "searcher", "scheduler"):
            for path in sources(folder):
                if re.search(r"boost/asio|base/(async|task|clock|http_client)\.h|co_await", path.read_text()):
                    wrong.append(str(path.relative_to(ROOT)))
        self.assertEqual(wrong, [])

    def test_no_file_passes_the_limit(self):
        long = []
        for folder in [*self.arrows, "main", "tests"]:
            for path in sources(folder):
                lines = len(path.read_text().splitlines())
                if lines > 420:
                    long.append(f"{path.relative_to(ROOT)}: {lines} lines")
        self.assertEqual(long, [], "cut these where a reader would")


if __name__ == "__main__":
    unittest.main()
