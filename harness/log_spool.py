"""Holds log records between the task and the server: first in memory, then in files, and when both are full the oldest go.

`put` never waits for the server, so a task never stops because its log cannot be delivered. One thread puts, one takes.
"""

import collections
import os
import shutil
import tempfile
import threading
import time


class _Batch:
    def __init__(self):
        self.records = []
        self.lines = 0
        self.size = 0
        self.path = None
        self.began = time.monotonic()


class Spool:
    """Records leave in the order they came, in batches: when one is full, or when its first record is `linger` seconds old. A full one is
    below the megabyte that many a proxy takes at most."""

    def __init__(self, memory_limit=8 << 20, total_limit=128 << 20, batch_lines=1000, batch_bytes=768 << 10, linger=1.0):
        self._memory_limit = memory_limit
        self._total_limit = total_limit
        self._batch_lines = batch_lines
        self._batch_bytes = batch_bytes
        self._linger = linger
        self._changed = threading.Condition()
        self._full = collections.deque()
        self._open = _Batch()
        self._memory = 0
        self._total = 0
        self._dropped = 0
        self._closed = False
        self._folder = None
        self._number = 0

    def put(self, record):
        with self._changed:
            if not self._open.records:
                self._open.began = time.monotonic()
                self._changed.notify()
            self._open.records.append(record)
            self._open.lines += 1
            self._open.size += len(record)
            if self._open.lines >= self._batch_lines or self._open.size >= self._batch_bytes:
                self._close_batch()

    def close(self):
        """No more puts; what is left may be taken at once."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def take(self):
        """Waits for the next batch: (number of lines dropped before it, its records), or None when closed and empty."""
        with self._changed:
            while not self._full:
                if self._open.records:
                    wait = self._open.began + self._linger - time.monotonic()
                    if wait <= 0 or self._closed:
                        self._close_batch()
                        break
                    self._changed.wait(wait)
                elif self._closed:
                    return None
                else:
                    self._changed.wait()
            dropped, self._dropped = self._dropped, 0
            return (dropped, self._load(self._full.popleft())) if self._full else (dropped, [])

    def waiting(self):
        """Number of lines that have not been taken, with those that were dropped and not reported."""
        with self._changed:
            return self._dropped + self._open.lines + sum(batch.lines for batch in self._full)

    def remove_files(self):
        with self._changed:
            if self._folder:
                shutil.rmtree(self._folder, ignore_errors=True)

    def _close_batch(self):
        batch, self._open = self._open, _Batch()
        self._total += batch.size
        if self._memory + batch.size <= self._memory_limit or not self._save(batch):
            self._memory += batch.size
        self._full.append(batch)
        # The second condition holds only where no file can be written.
        while self._total > self._total_limit or self._memory > self._memory_limit:
            self._drop(self._full.popleft())
        self._changed.notify()

    def _save(self, batch):
        try:
            if self._folder is None:
                self._folder = tempfile.mkdtemp(prefix="ship-logs-")
            path = os.path.join(self._folder, str(self._number))
            with open(path, "wb") as file:
                file.write(b"\n".join(batch.records))
        except OSError:
            return False
        self._number += 1
        batch.path, batch.records = path, []
        return True

    def _load(self, batch):
        self._total -= batch.size
        if batch.path is None:
            self._memory -= batch.size
            return batch.records
        try:
            with open(batch.path, "rb") as file:
                records = file.read().split(b"\n")
            os.remove(batch.path)
            return records
        except OSError:
            self._dropped += batch.lines
            return []

    def _drop(self, batch):
        self._dropped += batch.lines
        self._total -= batch.size
        if batch.path is None:
            self._memory -= batch.size
            return
        try:
            os.remove(batch.path)
        except OSError:
            pass
