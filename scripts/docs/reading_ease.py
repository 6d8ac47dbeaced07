"""How easy pages are to read: reading_ease.py FILE... prints Flesch's figure of each, from 0 (hard) to 100 (easy).

206.835 - 1.015 words a sentence - 84.6 syllables a word (R. Flesch, "A new readability yardstick", 1948). Counted are sentences and
list items; code, tables, headings and comments are left out, and a piece of code within a sentence counts as one word of one syllable.
Syllables are groups of vowels, without a silent e: a rule of thumb, good for comparing a page with itself."""

import pathlib
import re
import sys

VOWELS = re.compile(r"[aeiouy]+")


def prose(text):
    """The paragraphs and list items of a page."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
    text = re.sub(r"^ *```.*?^ *```", "\n", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"^(?:\||#|    \$|!\[).*$", "\n", text, flags=re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return [part for part in re.split(r"\n\s*\n|\n\s*(?:[-*]|\d+\.) ", text) if part.strip()]


def syllables(word):
    word = word.lower()
    count = len(VOWELS.findall(word))
    if word.endswith("e") and not word.endswith(("le", "ee")) and count > 1:
        count -= 1
    return max(count, 1)


def ease(text):
    """The figure of a page; None: it has no sentences."""
    sentences, words, count = 0, 0, 0
    for part in prose(text):
        for sentence in re.split(r"[.!?](?:\s|$)", part):
            found = re.findall(r"[A-Za-z][A-Za-z'-]*", sentence)
            if found:
                sentences += 1
                words += len(found)
                count += sum(map(syllables, found))
    if sentences == 0:
        return None
    return 206.835 - 1.015 * words / sentences - 84.6 * count / words


def main():
    for name in sys.argv[1:]:
        figure = ease(pathlib.Path(name).read_text())
        print(f"{name:40} {'-' if figure is None else round(figure, 1)}")


if __name__ == "__main__":
    main()
