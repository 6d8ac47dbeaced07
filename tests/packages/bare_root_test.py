"""The packages in bare roots of Debian 12 and 13: what a terminal shows there, command by command."""

import pathlib
import unittest

from packages import only
from terminal import NotPossible, Session, commands_of, first_difference, in_root

HERE = pathlib.Path(__file__).resolve().parent


class BareRoot(unittest.TestCase):
    def session(self, suite, *transcripts):
        """In this order, in one session."""
        expected = [line for name in transcripts for line in (HERE / f"{name}.txt").read_text().splitlines()]
        try:
            session = Session(suite, commands_of(expected), [only("*.whl")])
        except NotPossible as reason:
            self.skipTest(f"Not run: {reason}")
        shown = session.shown()
        print(f"\n{suite}: {session.seconds_until_after('det experiment create const.yaml . -f')} s from `pip install` to the first trained model, "
              f"of which installing 'determined' took until second {session.seconds_until_after('python3 -m venv ~/train')}")
        difference = first_difference(expected, shown)
        if difference:
            self.fail(difference + "\nAll of it:\n" + "\n".join(shown))

    def test_the_first_hour_with_the_wheel_on_debian_12(self):
        self.session("bookworm", "first_hour", "another_postgres", "two_dets")

    def test_the_first_hour_with_the_wheel_on_debian_13(self):
        self.session("trixie", "first_hour", "another_postgres")

    def test_the_debian_package(self):
        package = only("*.deb")
        script = f"""set -e
apt-get -qq update && apt-get -qq -y install --no-install-recommends /{package.name} > /dev/null 2>&1
det --version && det-operator --version && command -v bwrap
dpkg -L det-operator | grep -E 'systemd|init.d|/etc/' || echo no service
echo 'complete -p det' | bash -c '. /usr/share/bash-completion/completions/det; complete -p det'
gzip -dc /usr/share/man/man1/det-operator.1.gz | grep -c database.-url
dpkg --purge det-operator > /dev/null; test -e /usr/bin/det || echo gone"""
        try:
            done = in_root("bookworm", "sh", "-c", script, binds=[f"{package}:/{package.name}"])
        except NotPossible as reason:
            self.skipTest(f"Not run: {reason}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^det [\d.]+ \(for masters of version [\d.]+\)\ndet-operator [\d.]+\n/usr/bin/bwrap\nno service\ncomplete .*det\n[1-9]\ngone\n$")


class Comparison(unittest.TestCase):
    """The comparison itself: it can fail."""

    def test_lines_have_to_be_the_same_in_the_same_order(self):
        self.assertIsNone(first_difference(["a", "b"], ["a", "b"]))
        self.assertIn("line 2 is expected:\n  b", first_difference(["a", "b"], ["a", "c"]))
        self.assertIn("line 1", first_difference(["b", "a"], ["a", "b"]))
        self.assertIn("more is shown", first_difference(["a"], ["a", "b"]))
        self.assertIn("line 2", first_difference(["a", "b"], ["a"]))

    def test_dots_stand_for_any_lines(self):
        self.assertIsNone(first_difference(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertIsNone(first_difference(["a", "...", "b", "...", "c"], ["a", "b", "x", "b", "c"]))
        self.assertIsNone(first_difference(["..."], []))
        self.assertIn("line 3 is expected:\n  e", first_difference(["a", "...", "e"], ["a", "b", "c", "d"]))

    def test_what_varies_is_masked(self):
        session = Session.__new__(Session)
        session.port, session.raw = 1234, "\x01date\r\n2026-11-25T13:09:01.41Z pid 7 took 3.5 s on :1234 \x1b[1mnow\x1b[0m\r\nhalf\rwhole  \r\n"
        self.assertEqual(session.shown(), ["$ date", "<time> pid <pid> took <s> on :<port> now", "whole"])


if __name__ == "__main__":
    unittest.main()
