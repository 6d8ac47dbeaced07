"""What the SDK of `determined` 0.38.1 is called with by sdk_walk_test.py: each method of its classes, in an order in which each finds what
it needs. `s` holds what earlier calls have kept: s.det is the client, s.folder a folder of files."""

import typing

PASSWORD = "0n-foot-And-alone"
# Methods that are not called, and why.
LEFT_OUT = {
    "Experiment.get_pachyderm_config": "reads the configuration that the client has; no server is asked",
    "Checkpoint.get_pachyderm_commit": "reads the metadata that the client has; no server is asked",
    "Checkpoint.write_metadata_file": "writes a file of the client's; no server is asked",
}
# Determined's open edition answers with the same.
NO_OAUTH = "Not Found|not found"


class Call(typing.NamedTuple):
    method: str  # Class.method
    call: typing.Callable  # of s; gives what is checked
    expected: typing.Any = None  # what it gives; None: nothing is said about it
    refused: str = ""  # an expression that the exception's text has


def names(things):
    return [thing.name for thing in things]


def keep(name, make):
    """A call whose result is kept as s.NAME."""
    return lambda s: setattr(s, name, make(s))


def then(call, seen):
    """A call, and what the server shows of it afterwards."""
    return lambda s: (call(s), seen(s))[1]


def shown(thing, field):
    return lambda s: (getattr(s, thing).reload(), getattr(getattr(s, thing), field))[1]


CALLS = (
    # Users.
    Call("Determined.whoami", lambda s: s.det.whoami().username, "admin"),
    Call("Determined.get_session_username", lambda s: s.det.get_session_username(), "admin"),
    Call("Determined.create_user", keep("user", lambda s: s.det.create_user("walker", admin=False, password=PASSWORD))),
    Call("Determined.get_user_by_id", lambda s: s.det.get_user_by_id(s.user.user_id).username, "walker"),
    Call("Determined.get_user_by_name", lambda s: s.det.get_user_by_name("walker").user_id, lambda s: s.user.user_id),
    Call("Determined.list_users", lambda s: "walker" in [user.username for user in s.det.list_users()], True),
    Call("User.reload", lambda s: s.user.reload()),
    Call("User.rename", then(lambda s: s.user.rename("wanderer"), shown("user", "username")), "wanderer"),
    Call("User.change_display_name", then(lambda s: s.user.change_display_name("W"), shown("user", "display_name")), "W"),
    Call("User.change_password", lambda s: s.user.change_password(PASSWORD + "2")),
    Call("User.link_with_agent", then(lambda s: s.user.link_with_agent(1000, 1001, "w", "g"), shown("user", "agent_gid")), 1001),
    Call("User.deactivate", then(lambda s: s.user.deactivate(), shown("user", "active")), False),
    Call("User.activate", then(lambda s: s.user.activate(), shown("user", "active")), True),
    # Workspaces and projects.
    Call("Determined.create_workspace", keep("workspace", lambda s: s.det.create_workspace("walks"))),
    Call("Determined.get_workspace", lambda s: s.det.get_workspace("walks").id, lambda s: s.workspace.id),
    Call("Determined.list_workspaces", lambda s: names(s.det.list_workspaces()), ["Uncategorized", "walks"]),
    Call("Workspace.reload", lambda s: s.workspace.reload()),
    Call("Workspace.create_project", keep("project", lambda s: s.workspace.create_project("hills", "up"))),
    Call("Workspace.get_project", lambda s: s.workspace.get_project("hills").id, lambda s: s.project.id),
    Call("Workspace.list_projects", lambda s: names(s.workspace.list_projects()), ["hills"]),
    Call("Workspace.list_pools", keep("pools", lambda s: s.workspace.list_pools())),
    Call("ResourcePool.add_bindings", lambda s: s.pools[-1].add_bindings(["walks"])),
    Call("ResourcePool.replace_bindings", lambda s: s.pools[-1].replace_bindings(["Uncategorized"])),
    Call("ResourcePool.list_workspaces", lambda s: len(s.pools[-1].list_workspaces()), 1),  # it forgets their names
    Call("ResourcePool.remove_bindings", lambda s: s.pools[-1].remove_bindings(["Uncategorized"])),
    Call("Project.reload", lambda s: s.project.reload()),
    Call("Project.set_name", then(lambda s: s.project.set_name("dales"), shown("project", "name")), "dales"),
    Call("Project.set_description", then(lambda s: s.project.set_description("down"), shown("project", "description")), "down"),
    Call("Project.set_key", then(lambda s: s.project.set_key("DALE"), shown("project", "key")), "DALE"),
    Call("Project.add_note", then(lambda s: s.project.add_note("way", "left"), lambda s: [note["name"] for note in s.project.notes]), ["way"]),
    Call("Project.remove_note", then(lambda s: s.project.remove_note("way"), lambda s: s.project.notes), []),
    Call("Project.archive", then(lambda s: s.project.archive(), shown("project", "archived")), True),
    Call("Project.unarchive", then(lambda s: s.project.unarchive(), shown("project", "archived")), False),
    # An experiment, its trial and its checkpoints.
    Call("Determined.create_experiment", keep("exp", lambda s: s.det.create_experiment(s.folder / "const.yaml", s.folder))),
    Call("Experiment.await_first_trial", keep("trial", lambda s: s.exp.await_first_trial())),
    Call("Experiment.wait", lambda s: s.exp.wait(interval=0.05).value, "STATE_COMPLETED"),
    Call("Determined.get_experiment", lambda s: s.det.get_experiment(s.exp.id).name, "walk"),
    Call("Determined.list_experiments", lambda s: [exp.id for exp in s.det.list_experiments()], lambda s: [s.exp.id]),
    Call("Determined.get_trial", lambda s: s.det.get_trial(s.trial.id).experiment_id, lambda s: s.exp.id),
    Call("Experiment.reload", lambda s: s.exp.reload()),
    Call("Experiment.set_name", then(lambda s: s.exp.set_name("stroll"), shown("exp", "name")), "stroll"),
    Call("Experiment.set_description", then(lambda s: s.exp.set_description("slow"), shown("exp", "description")), "slow"),
    Call("Experiment.set_notes", then(lambda s: s.exp.set_notes("rain"), shown("exp", "notes")), "rain"),
    Call("Experiment.add_label", then(lambda s: s.exp.add_label("wet"), shown("exp", "labels")), {"wet"}),
    Call("Experiment.set_labels", then(lambda s: s.exp.set_labels({"wet", "late"}), shown("exp", "labels")), {"wet", "late"}),
    Call("Experiment.remove_label", then(lambda s: s.exp.remove_label("late"), shown("exp", "labels")), {"wet"}),
    Call("Experiment.download_code", lambda s: s.exp.download_code(str(s.folder / "code")).endswith(".tar.gz"), True),
    Call("Experiment.get_trials", lambda s: [trial.id for trial in s.exp.get_trials()], lambda s: [s.trial.id]),
    Call("Experiment.list_trials", lambda s: [trial.id for trial in s.exp.list_trials()], lambda s: [s.trial.id]),
    Call("Experiment.iter_trials", lambda s: [trial.id for trial in s.exp.iter_trials()], lambda s: [s.trial.id]),
    Call("Experiment.top_checkpoint", keep("best", lambda s: s.exp.top_checkpoint())),
    Call("Experiment.top_n_checkpoints", lambda s: [c.uuid for c in s.exp.top_n_checkpoints(1)], lambda s: [s.best.uuid]),
    Call("Experiment.list_checkpoints", lambda s: len(s.exp.list_checkpoints()), 2),
    Call("Experiment.delete_tensorboard_files", lambda s: s.exp.delete_tensorboard_files()),
    Call("Experiment.move_to_project", then(lambda s: s.exp.move_to_project("walks", "dales"), shown("exp", "project_id")), lambda s: s.project.id),
    Call("Project.list_experiments", lambda s: [exp.id for exp in s.project.list_experiments()], lambda s: [s.exp.id]),
    Call("Experiment.archive", then(lambda s: s.exp.archive(), shown("exp", "archived")), True),
    Call("Experiment.unarchive", then(lambda s: s.exp.unarchive(), shown("exp", "archived")), False),
    Call("Trial.reload", lambda s: s.trial.reload()),
    Call("Trial.get_experiment", lambda s: s.trial.get_experiment().id, lambda s: s.exp.id),
    Call("Trial.logs", lambda s: any("exited successfully" in line for line in s.trial.logs()), True),
    Call("Trial.iter_logs", lambda s: len(list(s.trial.iter_logs(tail=2))), 2),
    Call("Trial.list_checkpoints", lambda s: len(s.trial.list_checkpoints()), 2),
    Call("Trial.get_checkpoints", lambda s: len(s.trial.get_checkpoints()), 2),
    Call("Trial.top_checkpoint", lambda s: s.trial.top_checkpoint().uuid, lambda s: s.best.uuid),
    Call("Trial.select_checkpoint", keep("latest", lambda s: s.trial.select_checkpoint(latest=True))),
    Call("Trial.iter_metrics", lambda s: [m.metrics["loss"] for m in s.trial.iter_metrics("validation")], [1, 2]),
    Call("Trial.stream_metrics", lambda s: [m.metrics["loss"] for m in s.trial.stream_metrics("training")], [1, 2]),
    Call("Trial.stream_training_metrics", lambda s: [m.steps_completed for m in s.trial.stream_training_metrics()], [1, 2]),
    Call("Trial.stream_validation_metrics", lambda s: [m.steps_completed for m in s.trial.stream_validation_metrics()], [1, 2]),
    Call("Trial.kill", lambda s: s.trial.kill()),
    Call("Determined.iter_trials_metrics", lambda s: len(list(s.det.iter_trials_metrics([s.trial.id], "training"))), 2),
    Call("Determined.stream_trials_metrics", lambda s: len(list(s.det.stream_trials_metrics([s.trial.id], "training"))), 2),
    Call("Determined.stream_trials_training_metrics", lambda s: len(list(s.det.stream_trials_training_metrics([s.trial.id]))), 2),
    Call("Determined.stream_trials_validation_metrics", lambda s: len(list(s.det.stream_trials_validation_metrics([s.trial.id]))), 2),
    Call("Determined.get_checkpoint", lambda s: s.det.get_checkpoint(s.best.uuid).uuid, lambda s: s.best.uuid),
    Call("Checkpoint.download", lambda s: open(s.best.download(str(s.folder / "best")) + "/step").read(), "1"),
    Call("Checkpoint.add_metadata", then(lambda s: s.best.add_metadata({"good": True}), lambda s: s.det.get_checkpoint(s.best.uuid).metadata["good"]),
         True),
    Call("Checkpoint.remove_metadata", then(lambda s: s.best.remove_metadata(["good"]), lambda s: s.det.get_checkpoint(s.best.uuid).metadata),
         {"steps_completed": 1}),
    Call("Checkpoint.reload", lambda s: s.best.reload()),
    Call("Checkpoint.get_metrics", lambda s: list(s.best.get_metrics()), []),
    # The registry.
    Call("Determined.create_model", keep("model", lambda s: s.det.create_model("boots", "for rain", {"size": 42}, ["wet"]))),
    Call("Determined.get_model", lambda s: s.det.get_model("boots").model_id, lambda s: s.model.model_id),
    Call("Determined.get_model_by_id", lambda s: s.det.get_model_by_id(s.model.model_id).name, "boots"),
    Call("Determined.get_models", lambda s: names(s.det.get_models()), ["boots"]),
    Call("Determined.list_models", lambda s: names(s.det.list_models()), ["boots"]),
    Call("Determined.get_model_labels", lambda s: s.det.get_model_labels(), ["wet"]),
    Call("Model.reload", lambda s: s.model.reload()),
    Call("Model.register_version", keep("version", lambda s: s.model.register_version(s.best.uuid))),
    Call("Model.get_version", lambda s: s.model.get_version(1).checkpoint.uuid, lambda s: s.best.uuid),
    Call("Model.get_versions", lambda s: len(s.model.get_versions()), 1),
    Call("Model.list_versions", lambda s: len(s.model.list_versions()), 1),
    Call("Model.set_labels", then(lambda s: s.model.set_labels(["dry"]), shown("model", "labels")), ["dry"]),
    Call("Model.set_description", then(lambda s: s.model.set_description("for sun"), shown("model", "description")), "for sun"),
    Call("Model.add_metadata", then(lambda s: s.model.add_metadata({"sole": "new"}), shown("model", "metadata")), {"size": 42, "sole": "new"}),
    Call("Model.remove_metadata", then(lambda s: s.model.remove_metadata(["sole"]), shown("model", "metadata")), {"size": 42}),
    Call("Model.move_to_workspace", then(lambda s: s.model.move_to_workspace("walks"), shown("model", "workspace_id")), lambda s: s.workspace.id),
    Call("Model.archive", then(lambda s: s.model.archive(), shown("model", "archived")), True),
    Call("Model.unarchive", then(lambda s: s.model.unarchive(), shown("model", "archived")), False),
    Call("ModelVersion.reload", lambda s: s.version.reload()),
    Call("ModelVersion.set_name", then(lambda s: s.version.set_name("left"), shown("version", "name")), "left"),
    Call("ModelVersion.set_notes", then(lambda s: s.version.set_notes("tight"), shown("version", "notes")), "tight"),
    Call("ModelVersion.get_metrics", lambda s: list(s.version.get_metrics()), []),
    Call("ModelVersion.iter_metrics", lambda s: list(s.version.iter_metrics()), []),
    Call("ModelVersion.delete", then(lambda s: s.version.delete(), lambda s: len(s.model.list_versions())), 0),
    Call("Model.delete", then(lambda s: s.model.delete(), lambda s: s.det.list_models()), []),
    # What stops and what goes.
    Call("Experiment.pause", then(lambda s: (keep("paused", lambda s: s.det.create_experiment(s.folder / "const.yaml", s.folder))(s), s.paused.pause()),
                                  shown("paused", "state")), lambda s: s.states.PAUSED),
    Call("Experiment.activate", then(lambda s: s.paused.activate(), lambda s: s.paused.wait(interval=0.05).value), "STATE_COMPLETED"),
    Call("Experiment.cancel", lambda s: s.paused.cancel()),
    Call("Experiment.kill", lambda s: s.paused.kill()),
    Call("Experiment.delete", lambda s: s.paused.delete()),
    Call("Checkpoint.remove_files", then(lambda s: s.latest.remove_files(["nothing*"]), lambda s: s.latest.state.value), "STATE_COMPLETED"),
    Call("Checkpoint.delete", lambda s: s.latest.delete()),
    Call("Workspace.delete_project", lambda s: (s.workspace.create_project("dunes"), s.workspace.delete_project("dunes"))[1]),
    Call("Determined.delete_workspace", lambda s: (s.det.create_workspace("sea"), s.det.delete_workspace("sea"))[1]),
    Call("Determined.list_oauth_clients", lambda s: s.det.list_oauth_clients(), refused=NO_OAUTH),
    Call("Determined.add_oauth_client", lambda s: s.det.add_oauth_client("https://example.com", "x"), refused=NO_OAUTH),
    Call("Determined.remove_oauth_client", lambda s: s.det.remove_oauth_client("1"), refused=NO_OAUTH),
    Call("Determined.logout", lambda s: s.det.logout()),
)
