"""Turns the bytes that a task prints into log lines, and a log line into the record that the server takes.

Standard library only, Python 3.6 and later: these files run in whatever image the user brings.
"""

import codecs
import datetime
import json
import re

# torch's launcher may put its own "[default0]:" in front of the rank; it says nothing more than the rank does.
# A longer number is no rank, and the server could not hold it.
_RANK = re.compile(r"^(?:\[\w+\]:)?\[rank=(\d{1,6})\] ?")
_LEVEL = re.compile(r"^(DEBUG|INFO|WARNING|ERROR|CRITICAL): ?")
_LINE_END = re.compile(r"\r\n|\n|\r")


class LineCutter:
    """Cuts one stream into lines. A text ended by a lone carriage return is a progress display: each one replaces the one
    before, and the newest is a line only when asked for (`take_progress`) or when an ordinary line follows."""

    def __init__(self, limit=8192):
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._limit = limit
        self._rest = ""
        self._progress = None
        self._after_return = False

    def feed(self, data, final=False):
        """Returns the lines that `data` completes, without their ends. Longer ones than the limit come in pieces."""
        text = self._rest + self._decoder.decode(data, final)
        lines = []
        begin = 0
        for end in _LINE_END.finditer(text):
            self._end_line(text[begin : end.start()], end.group(), lines)
            begin = end.end()
        self._rest = text[begin:]
        while len(self._rest) > self._limit:
            lines += self.take_progress()
            lines.append(self._rest[: self._limit])
            self._rest = self._rest[self._limit :]
        if final:
            lines += self.take_progress()
            if self._rest:
                lines.append(self._rest)
            self._rest = ""
        return lines

    def take_progress(self):
        """The newest progress text that has not become a line yet, as a list of at most one."""
        lines = [] if self._progress is None else [self._progress]
        self._progress = None
        return lines

    def _end_line(self, piece, end, lines):
        if end == "\r":
            if piece:
                self._progress = piece[: self._limit]
            self._after_return = True
            return
        lines += self.take_progress()
        # "\r\n" may arrive in two reads: the line was then ended by its "\r" already.
        if piece or not self._after_return:
            lines += [piece[i : i + self._limit] for i in range(0, len(piece), self._limit)] or [""]
        self._after_return = False


def make_record(fields, stdtype, line, now=None):
    """The JSON record (bytes) of one line. `fields` are those that all lines of this task share."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    record = dict(fields, timestamp=now.isoformat(timespec="microseconds"), stdtype=stdtype)
    rank = _RANK.match(line)
    if rank:
        record["rank_id"] = int(rank.group(1))
        line = line[rank.end() :]
    level = _LEVEL.match(line)
    if level:
        record["level"] = "LOG_LEVEL_" + level.group(1)
        line = line[level.end() :]
    record["log"] = line + "\n"
    return json.dumps(record).encode("ascii")


def own_record(fields, line):
    """A line that the shipper itself has to say."""
    return make_record(fields, "stderr", "ERROR: [log shipper] " + line)
