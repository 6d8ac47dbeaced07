"""Prints which share of each file's and folder's lines was executed, from what `llvm-cov export -summary-only` wrote:
coverage_table.py SUMMARY [--least PERCENT]. Exits with 1 if a folder is below PERCENT, or nothing was counted."""

import argparse
import json
import os
import sys
from collections import defaultdict

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("summary")
    parser.add_argument("--least", type=float, default=0, metavar="PERCENT")
    options = parser.parse_args()
    with open(options.summary, encoding="utf-8") as file:
        files = json.load(file)["data"][0]["files"]
    folders = defaultdict(lambda: [0, 0])
    for one in sorted(files, key=lambda one: one["filename"]):
        name, lines = os.path.relpath(one["filename"], ROOT), one["summary"]["lines"]
        print(f"{lines['covered']:5} of {lines['count']:5}  {lines['percent']:6.2f} %  {name}")
        total = folders[name.split(os.sep)[0]]
        total[0] += lines["covered"]
        total[1] += lines["count"]
    low = not folders
    for name, (covered, count) in sorted(folders.items()):
        percent = 100 * covered / count
        low = low or percent < options.least
        print(f"{name}: {covered} of {count} lines executed, {percent:.2f} %")
    sys.exit(1 if low else 0)


if __name__ == "__main__":
    main()
