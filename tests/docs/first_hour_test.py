"""docs/first-hour.md prints what it says, on one machine and on a cluster. UPDATE=1 puts what was printed into the page where it differs."""

import os
import unittest

from first_hour import CACHE, ENVIRONMENT, PAGE, PROGRAMS, ClusterReader, Reader, matches, parts, steps

TOOLS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "helm")


class FirstHour(unittest.TestCase):
    def need(self, *files):
        for file in (ENVIRONMENT / "bin" / "python", PROGRAMS / "det", PROGRAMS / "det-operator", *files):
            if not file.exists():
                self.skipTest(f"Not run: {file} is not there")

    def follow(self, reader, part):
        """Runs what is typed; the number of lines that were compared."""
        compared = 0
        for step in steps(part):
            if step.file:
                reader.write(step.file, step.text)
                continue
            printed = reader.run(step.command)
            if matches(step.expected, printed):
                compared += sum(line.strip() != "..." for line in step.expected)
            elif os.environ.get("UPDATE") == "1":
                old = "\n".join([f"$ {step.command}", *step.expected])
                PAGE.write_text(PAGE.read_text().replace(old, "\n".join([f"$ {step.command}", *printed])))
            else:
                self.fail("\n".join([f"$ {step.command}", *printed, "--- but the page says", *step.expected]))
        return compared

    def test_prints_what_the_page_says_on_one_machine(self):
        self.need()
        reader = Reader()
        self.addCleanup(reader.leave)
        self.assertGreater(self.follow(reader, parts(PAGE.read_text())[0]), 60)

    def test_prints_what_the_page_says_on_a_cluster(self):
        self.need(*(CACHE / "tools" / tool for tool in TOOLS))
        reader = ClusterReader()
        self.addCleanup(reader.leave)
        local, cluster = parts(PAGE.read_text())
        for step in steps(local):
            if step.file:
                reader.write(step.file, step.text)
        self.assertGreater(self.follow(reader, cluster), 20)


class Comparing(unittest.TestCase):
    def test_passes_over_times_ids_and_widths(self):
        self.assertTrue(matches(["   1 | 2026-11-25 12:39:25+0000 |", "----+-----", "..."],
                                [" 1 | 2027-01-01 00:00:00+0000 |", "--------+---", "more", "and more"]))
        self.assertTrue(matches(["Its checkpoint: a1b61ae1-b8c7-448a-b8b0-53bcc9f9a759"], ["Its checkpoint: 00000000-b8c7-448a-b8b0-53bcc9f9a759"]))

    def test_notices_another_number_a_missing_line_and_a_further_one(self):
        self.assertFalse(matches(["Best validation_loss: 0.2267, of trial 1"], ["Best validation_loss: 0.2268, of trial 1"]))
        self.assertFalse(matches(["one", "two"], ["one"]))
        self.assertFalse(matches(["one"], ["one", "two"]))
        self.assertFalse(matches(["...", "one"], ["one", "two"]))


if __name__ == "__main__":
    unittest.main()
