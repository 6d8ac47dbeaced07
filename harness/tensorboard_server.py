"""Runs determined.exec.tensorboard, with what upstream's has no flags for: tensorboard_server.py. New points appear within ten seconds
(it looks into storage every 20), it binds to one address if it is told to, and it waits for the first metrics as long as it runs."""

import builtins
import json
import os
import sys

LOOK_INTERVAL = 3  # seconds, into storage and from TensorBoard into its folder


class Failure(Exception):
    """What is wrong with what the pod was given."""


def server_arguments(original, environ):
    """The command line of TensorBoard, from the one that the package makes of the same arguments."""
    bind = environ.get("DET_BIND_ADDRESS") or ""

    def build(version, folder, extra):
        words = original(version, folder, extra)
        if not any(word.startswith("--reload_interval") for word in words):
            words.append("--reload_interval=%d" % LOOK_INTERVAL)
        if bind not in ("", "*", "0.0.0.0", "::") and not any(word.split("=")[0] == "--host" for word in words):
            words = [word for word in words if word != "--bind_all"] + ["--host=" + bind]
        return words

    return build


def once(function):
    """Prints no line twice in a row: `waiting` is said every second."""
    last = []

    def say(*words, **options):
        if last != [words]:
            last[:] = [words]
            function(*words, **options)

    return say


def inputs(environ):
    """(storage configuration, folders, extra arguments)."""
    path = os.path.join(environ.get("DET_TASK_FILES") or "/run/determined/task-files", "storage_config.json")
    try:
        with open(path) as file:
            storage = json.load(file)
    except (OSError, ValueError) as error:
        raise Failure("the checkpoint storage to read from is not known: %s: %s" % (path, error))
    folders = [folder for folder in environ.get("DET_TENSORBOARD_LOG_DIRS", "").split(",") if folder]
    if not folders:
        raise Failure("DET_TENSORBOARD_LOG_DIRS is empty; there is nothing to show")
    text = environ.get("DET_TENSORBOARD_ARGS") or "[]"
    try:
        extra = json.loads(text)
    except ValueError:
        extra = None
    if not isinstance(extra, list) or not all(isinstance(word, str) for word in extra):
        raise Failure("DET_TENSORBOARD_ARGS is %r; a JSON list of words is needed" % text)
    return storage, folders, extra


def main(environ):
    try:
        storage, folders, extra = inputs(environ)
    except Failure as failure:
        sys.stderr.write("ERROR: %s\n" % failure)
        return 1
    import determined.common
    import tensorboard
    from determined.exec import tensorboard as module

    determined.common.set_logger(bool(environ.get("DET_DEBUG")))
    module.FULL_ITERATION_SLEEP_TIME = LOOK_INTERVAL
    module.MAX_WAIT_TIME = float("inf")
    module.print = once(builtins.print)
    module.get_tensorboard_args = server_arguments(module.get_tensorboard_args, environ)
    return module.start_tensorboard(storage, tensorboard.__version__, folders, extra) or 0


if __name__ == "__main__":
    sys.exit(main(os.environ))
