import os
import sys
import tempfile
import unittest
from unittest import mock

from shipper_case import HARNESS

sys.path.insert(0, str(HARNESS))
from log_spool import Spool  # noqa: E402


def record(number):
    return b"%09d." % number  # ten bytes


class SpoolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        patch = mock.patch.object(tempfile, "tempdir", self.folder)
        patch.start()
        self.addCleanup(patch.stop)

    def files(self):
        return [name for _, _, names in os.walk(self.folder) for name in names]

    def take_all(self, spool):
        spool.close()
        dropped, records = 0, []
        for batch in iter(spool.take, None):
            dropped += batch[0]
            records += batch[1]
        return dropped, records

    def test_hands_out_full_batches_in_order(self):
        spool = Spool(batch_lines=3)
        for i in range(7):
            spool.put(record(i))
        self.assertEqual(spool.take(), (0, [record(0), record(1), record(2)]))
        self.assertEqual(spool.take(), (0, [record(3), record(4), record(5)]))
        self.assertEqual(self.take_all(spool), (0, [record(6)]))

    def test_hands_out_an_unfilled_batch_when_it_has_waited_long_enough(self):
        spool = Spool(linger=0.0)
        spool.put(record(1))
        self.assertEqual(spool.take(), (0, [record(1)]))

    def test_goes_on_in_files_when_memory_is_full_and_keeps_the_order(self):
        spool = Spool(memory_limit=40, total_limit=10000, batch_lines=2)
        for i in range(100):
            spool.put(record(i))
        self.assertEqual(len(self.files()), 48)
        self.assertEqual(self.take_all(spool), (0, [record(i) for i in range(100)]))
        self.assertEqual(self.files(), [])

    def test_drops_the_oldest_and_counts_them_when_all_is_full(self):
        spool = Spool(memory_limit=40, total_limit=100, batch_lines=2)
        for i in range(100):
            spool.put(record(i))
        self.assertEqual(spool.waiting(), 100)
        self.assertEqual(self.take_all(spool), (90, [record(i) for i in range(90, 100)]))

    def test_stays_within_memory_where_no_file_can_be_written(self):
        with mock.patch.object(tempfile, "mkdtemp", side_effect=OSError("read-only")):
            spool = Spool(memory_limit=40, total_limit=10000, batch_lines=2)
            for i in range(20):
                spool.put(record(i))
        self.assertEqual(self.take_all(spool), (16, [record(i) for i in range(16, 20)]))

    def test_counts_lines_whose_file_has_vanished(self):
        spool = Spool(memory_limit=20, total_limit=10000, batch_lines=2)
        for i in range(4):
            spool.put(record(i))
        spool.remove_files()
        self.assertEqual(self.take_all(spool)[1], [record(0), record(1)])
        self.assertEqual(spool.waiting(), 2)


if __name__ == "__main__":
    unittest.main()
