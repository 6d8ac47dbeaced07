"""The generated pages of docs/reference/: make_reference.py [--check] [--programs DIR]

Every field of the experiment configuration, of the objects and of master.yaml, and every value of the chart, from crds/, the chart, the
register tests/structure/fields.txt and, where no schema says what a field means, scripts/docs/fields.yaml. With --programs also every
command of `det` and `det-operator`, from their own --help. Without --check the pages are written; with it, a difference is an error."""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import textwrap

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "reference"
CHART = ROOT / "helm" / "det-operator"
MADE = "<!-- Made by scripts/docs/make_reference.py: do not edit. -->"
WIDTH = 120
PROSE = re.compile(r"(leave|a|the|an) ")
OPEN = "x-kubernetes-preserve-unknown-fields"


def register(schema):
    """Field -> those who act on it, of tests/structure/fields.txt."""
    found = {}
    for line in (ROOT / "tests" / "structure" / "fields.txt").read_text().splitlines():
        if line.startswith(schema + " "):
            _, path, consumer = line.split()
            found.setdefault(path, []).append(consumer)
    return found


def written():
    """What scripts/docs/fields.yaml says."""
    return yaml.safe_load((ROOT / "scripts" / "docs" / "fields.yaml").read_text())


def definition(plural):
    """The schema of a kind."""
    crd = yaml.safe_load((ROOT / "crds" / f"{plural}.yaml").read_text())
    return crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def below(schema, path=""):
    """(path, schema) of every member; items of lists have the path of their list."""
    for name, member in (schema.get("properties") or {}).items():
        own = f"{path}.{name}" if path else name
        yield own, member
        yield from below(member, own)
        if isinstance(member.get("items"), dict):
            yield from below(member["items"], own)


def type_text(schema):
    """What may stand there, for people."""
    words = [f"`{json.dumps(word)}`" if not isinstance(word, str) else f"`{word}`" for word in schema.get("enum", []) if word is not None]
    if words:
        return "one of " + ", ".join(words)
    kind = schema.get("type") or ("anything that fits" if schema.get(OPEN) else "value")
    if isinstance(kind, list):
        kind = " or ".join(one for one in kind if one != "null")
    bounds = [f"{word} {schema[key]}" for key, word in (("minimum", "at least"), ("maximum", "at most")) if key in schema]
    return ", ".join([{"object": "map", "array": "list"}.get(kind, kind), *bounds])


def safe(text):
    """Angle brackets and stars as they are, outside of code."""
    return re.sub(r"([<>*_\[\]{}|])", r"\\\1", text)


def told(text):
    """The parts of a description: meaning, and what stands behind Unit, Default, Example or Required."""
    meaning, *rest = re.split(r"(?:^|\s)(?=(?:Unit|Default|Example): |Required\b)", text)
    yield safe(meaning)
    for part in rest:
        name, colon, value = part.partition(": ")
        if not colon:
            yield f"**{part}**"
            continue
        value = value.removesuffix(".")
        is_code = name != "Unit" and (" " not in value or value.startswith(("[", "{")) or name == "Example" and not PROSE.match(value))
        yield f"{name}: `{value}`." if is_code else f"{name}: {safe(value)}."


def wrapped(text):
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def entry(path, kind, text, level, note=""):
    """The lines of one field."""
    first = f"*{kind}.*" if kind else ""
    parts = [first, *told(text), "" if "no effect here" in text.lower() else note]
    return ["", f"{level} `{path}`", "", wrapped(" ".join(part for part in parts if part))]


def outline(fields):
    """(path, heading above it, its own level): fields by the first word of their path, which is a heading where there are several."""
    words = [re.split(r"[.\[]", path)[0] for path in fields]
    last = None
    for word, path in sorted(zip(words, fields)):
        alone = words.count(word) == 1
        yield path, [] if alone or word == last else ["", f"## {word}"], "##" if alone else "###"
        last = word


def note_of(consumers):
    consumers = [one.split(":")[0] + (":" + one.split(":", 1)[1] if one.startswith("alias:") else "") for one in consumers]
    if "warning" in consumers and len(consumers) == 1:
        return "**No effect here**: whoever sets it is told so, and what to do instead."
    if "refused" in consumers:
        return "**Refused** with an error."
    alias = next((one.partition(":")[2] for one in consumers if one.startswith("alias:")), "")
    return f"An older name of `{alias}`." if alias else ""


def configuration_fields():
    """Path -> (type, text) of the experiment configuration."""
    schema = definition("experiments")["properties"]["spec"]["properties"]["config"]
    fields = {path: (type_text(member), member["description"]) for path, member in below(schema)}
    for path, text in written()["experiment"].items():
        fields[path] = ("", text)
    return fields


def configuration():
    known, fields = register("experiment"), configuration_fields()
    lines = ["# Fields of the experiment configuration", "", MADE, "",
             wrapped("What may stand in `spec.config` of an [Experiment](../experiments.md) and in the file that `det experiment create` takes. "
                     "A field that is `null` counts as left out. [How it is checked, merged and completed](../configuration.md)."),
             "", wrapped("Where a default says \"the cluster's\", `master.yaml` decides, and then Determined's own default.")]
    for path, heading, level in outline(fields):
        lines += [*heading, *entry(path, fields[path][0], fields[path][1], level, note_of(known.get(path, [])))]
    return lines


KINDS = (("Experiment", "experiments", "../experiments.md"), ("Trial", "trials", "../experiments.md#trials"), ("Task", "tasks", "../tasks.md"),
         ("ResourcePool", "resourcepools", "../resource-pools.md"))


def objects():
    lines = ["# Fields of the objects", "", MADE, "",
             wrapped("The custom resources of `det-operator.dev/v1alpha1`. `kubectl explain experiment.spec` says the same on your cluster. People "
                     "write what is below `spec`; the operator writes what is below `status`.")]
    for kind, plural, more in KINDS:
        lines += ["", f"## {kind}", "", f"[More about it]({more})."]
        for path, member in below(definition(plural)):
            if not path.startswith(("spec", "status")) or path.startswith("spec.config.") and plural == "experiments":
                continue
            note = "[Its fields](experiment-config.md)." if plural == "experiments" and path == "spec.config" else ""
            lines += entry(f"{kind}.{path}", type_text(member), member.get("description", ""), "###", note)
    return lines


def master_fields():
    """Path -> text; what is as in the experiment configuration is told once."""
    own, experiment = written()["master"], configuration_fields()
    return {path: own.get(path) or experiment[path][1] for path in register("master")}


def master():
    known, fields = register("master"), master_fields()
    lines = ["# Fields of master.yaml", "", MADE, "",
             wrapped("The file of `--config`, with the names of Determined's master. `det-operator --config FILE --check-config` says of each line that is wrong or "
                     "has no effect what to do. [More about the important ones](../running.md#masteryaml). On a cluster the [chart](chart.md) writes it.")]
    for path, heading, level in outline(fields):
        lines += [*heading, *entry(path, "", fields[path], level, note_of(known[path]))]
    return lines


def snake(path):
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda m: "_" + m[0].lower(), path)


def chart_comments():
    """Value -> what stands behind it in values.yaml."""
    found, place = {}, []
    for line in (CHART / "values.yaml").read_text().splitlines():
        key = re.match(r"( *)([A-Za-z_]\w*):(.*)$", line)
        if key:
            place = place[: len(key[1]) // 2] + [key[2]]
            comment = re.search(r"\s# (.*)$", key[3])
            if comment:
                found[".".join(place)] = comment[1]
    return found


def words_of(path, kind):
    """What may stand in a value, as type_text() tells it; of a storage, its types."""
    if path.startswith("checkpointStorage."):
        return {"shared_fs", "directory", "s3", "gcs", "azure"}
    return {"true", "false"} if kind == "boolean" else set(re.findall(r"`(\w+)`", kind))


def capitalised(text, words):
    """With a large first letter, unless it begins with a word of the program."""
    first = re.match(r"[^\s:;,]*", text)[0]
    is_of_program = first in words or re.search(r"[_./\d]", first.rstrip("."))
    return text if is_of_program else text[:1].upper() + text[1:]


def chart_fields():
    """Value -> (type, text)."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    described, types = {}, {}
    for path, member in below(schema):
        types[path] = type_text(member)
        described[path] = member.get("description")
    comments, own, of_master = chart_comments(), written()["chart"], master_fields()
    fields = {}
    for path in register("chart"):
        plain = path.replace("[]", "")
        meaning = own.get(path) or described.get(plain) or comments.get(path) or of_master.get(snake(path))
        if not meaning:
            raise SystemExit(f"nothing says what the value {path} means: add it to scripts/docs/fields.yaml")
        meaning = capitalised(meaning, words_of(plain, types.get(plain, "")))
        fields[path] = (types.get(plain, ""), meaning if meaning.endswith(".") else meaning + ".")
    return fields


def chart_default(values, path):
    for name in path.replace("[]", "").split("."):
        if not isinstance(values, dict) or name not in values:
            return None
        values = values[name]
    return values


def chart():
    known, fields = register("chart"), chart_fields()
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    lines = ["# Values of the chart", "", MADE, "",
             wrapped("`helm show values helm/det-operator` prints those that have a default; this page has all of them. Values of Determined's, CoreWeave's and Ezmeral's charts are "
                     "understood; a misspelled one is refused with the nearest that there is. [Installing with Helm](../helm.md) shows how they go together.")]
    for path, heading, level in outline(fields):
        kind, text = fields[path]
        default = chart_default(values, path)
        if default not in (None, "", [], {}) and "Default: " not in text:
            text += f" Default: {json.dumps(default) if not isinstance(default, str) else default}."
        lines += [*heading, *entry(path, kind, text, level, note_of(known[path]))]
    return lines


def help_of(program, *words):
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.strip("\n")


def subcommands(text):
    """The names below "Subcommands:", without their short forms."""
    _, _, rest = text.partition("\nSubcommands:\n")
    return re.findall(r"^  ([a-z][\w-]*)", rest, re.MULTILINE)


def commands(program, *words):
    text = help_of(program, *words)
    yield words, text
    for name in subcommands(text):
        yield from commands(program, *words, name)


def cli(programs):
    lines = ["# Commands", "", MADE, "",
             wrapped("What `det` and `det-operator` say themselves with `--help`. [The command line](../cli.md) has the same by what you may want to do.")]
    for program in ("det", "det-operator"):
        found = list(commands(programs / program))
        if program == "det":
            found += commands(programs / program, "dev")  # which det's own help does not name, as Determined's does not
        else:
            found += [((word,), help_of(programs / program, word)) for word in ("local", "node-agent")]
        for words, text in found:
            level = "##" if len(words) < 2 else "###"
            # Defaults that are this machine's and this user's.
            text = re.sub(r"(?<=--slots INT:INT in \[1 - 1000\]=)\d+", "CPUS", text)
            text = re.sub(r"(?<=--data-dir TEXT=)\S+", "DIR", text)
            lines += ["", f"{level} {' '.join([program, *words])}", "", "```text", text.rstrip(), "```"]
    return lines


def pages(programs):
    made = {"experiment-config.md": configuration(), "objects.md": objects(), "master-yaml.md": master(), "chart.md": chart()}
    if programs:
        made["cli.md"] = cli(programs)
    return {name: "\n".join(lines) + "\n" for name, lines in made.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--programs", type=pathlib.Path)
    arguments = parser.parse_args()
    stale = []
    for name, text in pages(arguments.programs).items():
        file = PAGES / name
        if not arguments.check:
            PAGES.mkdir(exist_ok=True)
            file.write_text(text)
        elif not file.is_file() or file.read_text() != text:
            stale.append(name)
    if stale:
        sys.exit(f"docs/reference/ is not what the sources say: {', '.join(stale)}; run scripts/docs/make_reference.py --programs build/bin")


if __name__ == "__main__":
    main()
