"""Prints the commands of Determined's command line, for determined_commands.txt. Run it with the Python of an environment
that has determined 0.38.1:

    PYTHON tests/cli/determined_commands.py > tests/cli/determined_commands.txt

One command a line: its names and those of the groups above it, aliases behind "|"; a tab; its options, aliases behind "/". A further tab
and "default": its group does it where no command is named.
"""
import argparse

from determined import cli
from determined.cli import cli as program
from determined.deploy import cli as deploy


def leaves(parser, path, is_default=False):
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        options = [action.option_strings for action in parser._actions if action.option_strings]
        yield path, sorted("/".join(names) for names in options if "--help" not in names), is_default
    for group in groups:
        names_of = {}
        for name, command in group.choices.items():
            names_of.setdefault(id(command), (command, []))[1].append(name)
        # What a group does by itself wraps what its default command does.
        default = getattr(parser.get_default("func"), "__wrapped__", None)
        for command, names in names_of.values():
            is_default = default is not None and command.get_default("func") is default
            yield from leaves(command, [*path, "|".join(names)], is_default)


def main():
    lines = set()
    # "deploy" has a parser of its own.
    for description in (program.all_args_description, [deploy.args_description]):
        parser = program.make_parser()
        cli.add_args(parser, description)
        for path, options, is_default in leaves(parser, []):
            lines.add(" ".join(path) + "\t" + " ".join(options) + ("\tdefault" if is_default else ""))
    print("\n".join(sorted(lines)))


main()
