"""The examples' objects as the suites on a cluster and on local mode apply them."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]


def example_object(example, name, **hyperparameters):
    """The example's ConfigMap and Experiment as one YAML text, the Experiment under another name."""
    text = (ROOT / "examples" / example / "experiment.yaml").read_text()
    head, tail = text.rsplit("kind: Experiment", 1)
    tail = re.sub(r"^  name: .*$", f"  name: {name}", tail, count=1, flags=re.M)
    for key, value in hyperparameters.items():
        tail, changed = re.subn(rf"^(\s+{key}): .*$", rf"\g<1>: {value}", tail, count=1, flags=re.M)
        assert changed == 1, f"{example} has no hyperparameter {key}"
    return head + "kind: Experiment" + tail
