"""Runs determined.exec.gc_checkpoints with the same arguments, and mends two things that it does in object stores. Of TensorBoard it deletes
all that begins with the folder's name, so that experiment 1 would take the files of 10 and 19 with it; and what S3 refuses to delete it takes
for deleted."""

import sys

OBJECT_STORES = ("s3", "gcs", "azure")


def within_the_folder(build):
    """determined.tensorboard.build, whose managers take the folder with the slash after it."""

    def made(cluster_id, experiment_id, trial_id, checkpoint_config, *more, **options):
        manager = build(cluster_id, experiment_id, trial_id, checkpoint_config, *more, **options)
        if isinstance(checkpoint_config, dict) and checkpoint_config.get("type") in OBJECT_STORES:
            manager.sync_path = str(manager.sync_path).rstrip("/") + "/"
        return manager

    return made


def heeding_errors(call):
    """botocore's call of any operation: S3 answers 200 to a request in which it deleted nothing, and names what it refused."""

    def made(client, operation, parameters):
        answer = call(client, operation, parameters)
        errors = answer.get("Errors") if operation == "DeleteObjects" else None
        if errors:
            first = errors[0]
            raise RuntimeError(
                "S3 refused to delete %d objects, the first of them %s: %s: %s"
                % (len(errors), first.get("Key"), first.get("Code"), first.get("Message"))
            )
        return answer

    return made


def main(arguments):
    from determined import tensorboard
    from determined.exec import gc_checkpoints

    tensorboard.build = within_the_folder(tensorboard.build)
    try:
        from botocore.client import BaseClient
    except ImportError:  # then nothing can be deleted from S3 either
        pass
    else:
        BaseClient._make_api_call = heeding_errors(BaseClient._make_api_call)
    gc_checkpoints.main(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
