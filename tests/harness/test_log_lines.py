import datetime
import json
import sys
import unittest

from shipper_case import HARNESS

sys.path.insert(0, str(HARNESS))
from log_lines import LineCutter, make_record  # noqa: E402


class LineCutterTest(unittest.TestCase):
    def cut(self, *chunks, limit=8192):
        cutter = LineCutter(limit)
        return [line for chunk in chunks for line in cutter.feed(chunk)] + cutter.feed(b"", final=True)

    def test_joins_lines_that_arrive_in_parts(self):
        self.assertEqual(self.cut(b"ab", b"c\nd", b"\n"), ["abc", "d"])

    def test_keeps_blank_lines_and_the_unfinished_last_one(self):
        self.assertEqual(self.cut(b"a\n\nb"), ["a", "", "b"])

    def test_takes_return_and_newline_as_one_end_even_when_split(self):
        self.assertEqual(self.cut(b"a\r\nb\r", b"\nc\n"), ["a", "b", "c"])

    def test_keeps_only_the_newest_of_several_progress_texts(self):
        self.assertEqual(self.cut(b"10%\r20%\r", b"30%\r", b"done\n"), ["30%", "done"])

    def test_hands_out_a_progress_text_once_when_asked(self):
        cutter = LineCutter()
        self.assertEqual(cutter.feed(b"\r 10%\r 20%\r"), [])
        self.assertEqual(cutter.take_progress(), [" 20%"])
        self.assertEqual(cutter.take_progress(), [])
        self.assertEqual(cutter.feed(b"\n"), [])

    def test_cuts_long_lines_into_pieces_without_losing_any(self):
        text = "".join(chr(97 + i % 26) for i in range(1000))
        lines = self.cut(*[text[i : i + 7].encode() for i in range(0, 1000, 7)], b"\n", limit=64)
        self.assertEqual("".join(lines), text)
        self.assertLessEqual(max(map(len, lines)), 64)

    def test_replaces_bytes_that_are_not_utf8_and_joins_characters_cut_by_a_read(self):
        euro = "€".encode()
        self.assertEqual(self.cut(b"\xff" + euro[:1], euro[1:] + b"\n"), ["\ufffd€"])


class MakeRecordTest(unittest.TestCase):
    def record(self, line):
        now = datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
        return json.loads(make_record({"task_id": "t"}, "stdout", line, now))

    def test_carries_the_shared_fields_and_a_time_with_microseconds(self):
        self.assertEqual(
            self.record("hello"),
            {"task_id": "t", "stdtype": "stdout", "timestamp": "2026-01-02T03:04:05.000000+00:00", "log": "hello\n"},
        )

    def test_takes_rank_and_level_out_of_the_text(self):
        record = self.record("[rank=3] WARNING: [77] determined: careful")
        self.assertEqual((record["rank_id"], record["level"]), (3, "LOG_LEVEL_WARNING"))
        self.assertEqual(record["log"], "[77] determined: careful\n")

    def test_sees_the_rank_behind_the_prefix_of_torch(self):
        record = self.record("[default0]:[rank=1] hello")
        self.assertEqual((record["rank_id"], record["log"]), (1, "hello\n"))

    def test_a_number_that_is_no_rank_stays_in_the_text(self):
        for digits in (7, 30, 5000):
            line = "[rank=" + "9" * digits + "] hello"
            record = self.record(line)
            self.assertNotIn("rank_id", record)
            self.assertEqual(record["log"], line + "\n")

    def test_leaves_words_that_only_look_like_a_level(self):
        record = self.record("INFORMATION: none")
        self.assertNotIn("level", record)
        self.assertEqual(record["log"], "INFORMATION: none\n")


if __name__ == "__main__":
    unittest.main()
