"""What threads share is guarded by base/mutex.h, whose use the compiler checks: no other mutex in product code, every
Mutex guards something, and the check itself finds what it is for."""

import pathlib
import re
import subprocess
import tempfile
import unittest

from arrows_test import INCLUDE, ROOT, declared_arrows, sources

UNCHECKED = re.compile(r"std::(recursive_|shared_|timed_)?mutex\b|std::condition_variable|std::(lock_guard|scoped_lock|unique_lock|shared_lock)")
MUTEX = re.compile(r"^\s*(?:mutable )?Mutex (\w+);", re.M)
HOME = ROOT / "base" / "mutex.h"

COUNTER = """
#include "base/mutex.h"
class Counter {
 public:
  void add() {
    %s
    ++count_;
  }
 private:
  det::Mutex mutex_;
  int count_ DET_GUARDED_BY(mutex_) = 0;
};
int main() { Counter().add(); }
"""


def product():
    for folder in [*declared_arrows(), "main"]:
        yield from sources(folder)


def compile_counter(lock):
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "counter.cc"
        source.write_text(COUNTER % lock)
        command = ["clang++-19", "-std=c++23", "-fsyntax-only", "-Wthread-safety", "-Werror", f"-I{ROOT}", source]
        return subprocess.run(command, capture_output=True, text=True)


def including(home):
    """Every source file that includes the header, or one that does, and so on."""
    included = {str(path.relative_to(ROOT)): {header for _, header in INCLUDE.findall(path.read_text())} for path in product()}
    found, grows = {str(home.relative_to(ROOT))}, True
    while grows:
        more = {name for name, headers in included.items() if headers & found}
        grows = not more <= found
        found |= more
    return {name for name in found if name.endswith(".cc")}


class ThreadSafety(unittest.TestCase):
    def test_no_mutex_is_out_of_the_compilers_sight(self):
        found = [str(path.relative_to(ROOT)) for path in product() if path != HOME and UNCHECKED.search(path.read_text())]
        self.assertEqual(found, [], "use Mutex, MutexLock and Condition of base/mutex.h")

    def test_the_analysis_is_on_where_a_mutex_is(self):
        text = (ROOT / "CMakeLists.txt").read_text()
        analysed = re.search(r"set_source_files_properties\(([^)]*) PROPERTIES COMPILE_OPTIONS -Wthread-safety\)", text)
        self.assertEqual(set(analysed[1].split()), including(HOME))

    def test_every_mutex_guards_something(self):
        seen = 0
        for path in product():
            text = path.read_text()
            for name in [] if path == HOME else MUTEX.findall(text):
                seen += 1
                self.assertIn(f"DET_GUARDED_BY({name})", text, f"{path.relative_to(ROOT)}: {name} guards nothing that is named")
        self.assertGreaterEqual(seen, 4)

    def test_the_compiler_refuses_what_is_touched_without_its_lock(self):
        self.assertEqual(compile_counter("const det::MutexLock lock(mutex_);").stderr, "")
        refused = compile_counter("")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("requires holding mutex 'mutex_'", refused.stderr)


if __name__ == "__main__":
    unittest.main()
