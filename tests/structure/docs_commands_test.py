"""Every command of `det` that the pages show is one, with options that it has, by docs/reference/cli.md, which is made of its --help."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [page for page in sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "examples").rglob("*.md")])
         if page.name != "rest-api.md"]
# Of the Python det, where a page says so; and what pages say of commands that are missing.
OF_PYTHON = {"--mode", "--test-mode", "--local", "--publish", "--cluster-name"}
CODE = re.compile(r"`((?:[^`\n]|\n(?!\n))+)`")


def reference():
    """Command -> (its names below it with their aliases, its help)."""
    found = {}
    for heading, text in re.findall(r"^##+ (det(?: [\w-]+)*)\n\n```text\n(.*?)^```", (ROOT / "docs" / "reference" / "cli.md").read_text(), re.M | re.S):
        below = {}
        for names in re.findall(r"^  ([a-z][\w-]*(?:, ?[\w-]+)*)", text.partition("\nSubcommands:\n")[2], re.M):
            first, *aliases = re.split(r", ?", names)
            below |= {name: first for name in (first, *aliases)}
        found[heading] = (below, text)
    return found


def shown(text):
    """What stands in code and begins with det, without comments, pipes and what follows a --."""
    lines = re.findall(r"^ *(?:\$ )?((?:\S+=\S+ )*det .*)$", "\n".join(re.findall(r"```(?:sh|console)?\n(.*?)```", text, re.S)), re.M)
    inline = [" ".join(code.split()) for code in CODE.findall(re.sub(r"```.*?```", "", text, flags=re.S)) if code.startswith("det ")]
    for line in lines + inline:
        yield re.split(r"\s#|\s\||\s-- |;|&&|\)$", line)[0].strip()


def fault(line, commands):
    """What is wrong with a line; None: nothing."""
    words = line.split()[line.split().index("det") + 1:]
    command, rest = "det", []
    while words:
        word = words.pop(0)
        if word in ("-u", "-m") and words:
            words.pop(0)
        elif f"{command} {commands[command][0].get(word, word)}" in commands:
            command += " " + commands[command][0].get(word, word)
        else:
            rest = [word, *words]
            break
    below, text = commands[command]
    if below and rest and re.fullmatch(r"[a-z][a-z-]+", rest[0]) and rest[0] != "help":
        return f"{command} has no {rest[0]}"
    if command.endswith((" run", " curl")):
        return None  # options of what is run
    known = set(re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*", text))
    for option in re.findall(r"(?<![\w<-])--[a-z][\w-]+", " ".join(rest)):
        if option not in known | OF_PYTHON and not below:
            return f"{command} has no {option}"
    return None


class Commands(unittest.TestCase):
    def test_that_pages_show_are_there_with_their_options(self):
        commands, seen = reference(), 0
        self.assertGreater(len(commands), 150)
        for page in PAGES:
            for line in shown(page.read_text()):
                seen += 1
                with self.subTest(f"{page.name}: {line}"):
                    self.assertIsNone(fault(line, commands))
        self.assertGreater(seen, 150)

    def test_notices_what_is_not_there(self):
        commands = reference()
        self.assertIsNone(fault("det -u admin e create const.yaml . -f --config a=1", commands))
        for line in ("det experiment creat const.yaml", "det nonsense list", "det experiment list --colour"):
            self.assertIsNotNone(fault(line, commands), line)


if __name__ == "__main__":
    unittest.main()
