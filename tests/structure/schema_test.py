"""Files of store/schema that say nothing of what they do: `IF NOT EXISTS` makes no index where one of another form has the name."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STATEMENT = re.compile(r"^\s*(CREATE|DROP)\s+(?:UNIQUE\s+)?INDEX\s+(?:IF\s+(?:NOT\s+)?EXISTS\s+)?(\w+)", re.I | re.M)
# Found too late: the index of 002, by (archived, id), serves as well.
IN_VAIN = {("059_archived_runs.sql", "experiments_archived")}


def names_taken(files):
    """What (file, index) makes nothing, because an earlier file has made an index of that name."""
    there, taken = set(), set()
    for name, text in files:
        for verb, index in STATEMENT.findall(text):
            if verb.upper() == "DROP":
                there.discard(index)
            elif index in there:
                taken.add((name, index))
            else:
                there.add(index)
    return taken


class Schema(unittest.TestCase):
    def test_each_index_has_a_name_of_its_own(self):
        files = [(path.name, path.read_text()) for path in sorted((ROOT / "store" / "schema").glob("*.sql"))]
        self.assertGreater(sum(len(STATEMENT.findall(text)) for _, text in files), 40)
        self.assertEqual(names_taken(files), IN_VAIN)

    def test_a_name_that_was_given_up_may_be_used_again(self):
        self.assertEqual(names_taken([("1", "CREATE INDEX a ON t (x);"), ("2", "DROP INDEX a;\nCREATE UNIQUE INDEX IF NOT EXISTS a ON t (y);")]), set())
        self.assertEqual(names_taken([("1", "CREATE INDEX a ON t (x);"), ("2", "create index if not exists a ON t (y);")]), {("2", "a")})


if __name__ == "__main__":
    unittest.main()
