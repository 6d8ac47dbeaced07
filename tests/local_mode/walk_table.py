"""What `det` 0.38.1 is called with by walk_test.py: each leaf of its parser at least once, in an order in which each finds what it needs."""

import typing

UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
PASSWORD = "0n-foot-And-alone"
NEXT_PASSWORD = "0n-foot-And-2gether"
# A leaf of the parser that is not walked, and why. That of `deploy` is all that the parser knows of it before it is called.
LEFT_OUT = {"deploy": "starts clouds or containers; no server is asked"}


class Call(typing.NamedTuple):
    leaf: str
    arguments: str  # as a shell splits them; {name} is what a named group of an earlier call's `said` has found
    said: str  # an expression that is found in what it prints; its named groups are remembered
    verdict: str
    typed: tuple = ()  # the answers to its questions
    user: str = "admin"
    eventually: bool = False  # it is repeated until it is so


def works(leaf, arguments="", said="", **more):
    return Call(leaf, arguments, said, "works", **more)


def refused(leaf, arguments, said, **more):
    """`said`: the reason, in the server's words."""
    return Call(leaf, arguments, said, "refused", **more)


NO_OAUTH = "Determined Enterprise Edition is required"  # the client's words for 404, which Determined's open edition answers, too

CALLS = (
    works("version", said=r"version: 0\.38\.1"),
    works("master info", said="rbacEnabled: true"),
    works("master config show", said="rbac_ui_enabled"),
    works("master config set", "--log.level=INFO", "Successfully made changes"),
    refused("master config set", "--log.color=on", "log has no colors"),
    works("master logs", "--tail 3", r"\[.*\]: "),
    works("master cluster-message set", "-m 'we walk'"),
    works("master cluster-message get", said="we walk"),
    works("master cluster-message clear"),
    works("master cluster-message get", said=r"^\{\}|clusterMessage: null"),
    works("dev auth-token", said=r"^\S{20,}$"),
    works("dev curl", "api/v1/me", '"username":"admin"'),
    works("dev bindings list", said="get_GetMaster"),
    works("dev bindings call", "get_GetMaster", '"rbacEnabled": true'),
    works("auth list-providers", said="No SSO providers found"),
    works("auth login", said="No SSO providers found"),
    refused("oauth client list", "", NO_OAUTH),
    refused("oauth client add", "walk https://walk.example", NO_OAUTH),
    refused("oauth client remove", "walk", NO_OAUTH),

    works("user whoami", said="logged in as user 'admin'"),
    works("user create", f"walker --password {PASSWORD}"),
    works("user list", said="walker"),
    works("user edit", "walker --display-name Rambler", "Changes made to the following fields: Display Name"),
    works("user link-with-agent-user", "walker --agent-uid 1234 --agent-user walker --agent-gid 1234 --agent-group walkers"),
    works("user list", said=r"Rambler.*1234"),
    works("user change-password", "walker", typed=(NEXT_PASSWORD, NEXT_PASSWORD)),
    works("user login", "walker", typed=(NEXT_PASSWORD,)),
    works("user whoami", said="logged in as user 'walker'", user="walker"),
    works("user logout", user="walker"),
    works("user deactivate", "walker"),
    works("user list", "--all", r"walker.*False"),
    works("user activate", "walker"),
    works("user list", said=r"walker.*True"),
    works("user create", f"strider --password {PASSWORD}"),
    works("user rename", "strider stroller"),
    works("user list", said="stroller"),
    works("token create", "walker -d 'for the walk'", r"TokenID: (?P<token_id>\d+)\s+Access-Token: (?P<token>\S+)"),
    works("token list", said="for the walk"),
    works("token describe", "{token_id}", "for the walk"),
    works("token edit", "{token_id} -d 'for the way back'", "for the way back"),
    works("token login", "{token}", "Authenticated as walker"),
    works("token revoke", "{token_id}", "Successfully revoked token"),

    works("workspace create", "hills", "hills"),
    works("workspace list", said="hills"),
    works("workspace describe", "hills", "hills"),
    works("workspace edit", "hills --name fells", "fells"),
    works("workspace archive", "fells", "Successfully archived"),
    works("workspace unarchive", "fells", "Successfully un-archived"),
    works("workspace list-pools", "fells", r"fells +\| +(?P<pool>[^\s,]+)"),
    works("workspace bindings list", "fells"),
    works("workspace bindings set", "fells --namespace default", "is bound to namespace default"),
    works("workspace bindings delete", "fells", "Successfully deleted binding"),
    refused("workspace create", "dales --namespace other", "namespace 'other' does not exist"),
    refused("workspace resource-quota set", "fells 4", "not bound to an auto-created namespace"),
    works("workspace bindings set", "fells --auto-create-namespace", r"is bound to namespace det-workspace-\d+"),
    works("workspace resource-quota set", "fells 4", "Resource quota 4 is set on workspace fells"),
    works("workspace bindings delete", "fells", "Successfully deleted binding"),
    works("workspace create", "dales --auto-create-namespace-all-clusters --resource-quota 1", r"is bound to namespace det-workspace-\d+"),
    works("resource-pool bindings list-workspaces", "{pool}", "{pool}"),
    works("resource-pool bindings add", "spare fells", "spare"),
    works("resource-pool bindings replace", "spare Uncategorized", "spare"),
    works("resource-pool bindings remove", "spare Uncategorized", "spare"),
    works("project create", "fells paths --description 'where one walks' --key PTH", "where one walks"),
    works("project list", "fells", "PTH"),
    works("workspace list-projects", "fells", "paths"),
    works("project edit", "fells paths --new_name tracks", "tracks"),
    works("project archive", "fells tracks", "Successfully archived"),
    works("project unarchive", "fells tracks", "Successfully un-archived"),

    works("user-group create", "ramblers --add-user walker", "user group with name ramblers .* created"),
    works("user-group list", said="ramblers"),
    works("user-group add-user", "ramblers stroller", "user added to group with username stroller"),
    works("user-group describe", "ramblers", "stroller"),
    works("user-group remove-user", "ramblers stroller", "user removed from the group with username stroller"),
    works("user-group change-name", "ramblers hikers", "name changed from ramblers to hikers"),
    works("rbac list-roles", said="role 'WorkspaceAdmin'"),
    works("rbac assign-role", "Viewer -g hikers -w fells", "assigned role 'Viewer' .* to group 'hikers'"),
    works("rbac list-groups-roles", "hikers", "role 'Viewer'"),
    works("rbac list-users-roles", "walker", "hikers"),
    works("rbac describe-role", "Viewer", "hikers"),
    works("workspace list-members", "fells", r"hikers +\| G +\| Viewer"),
    works("rbac my-permissions"),
    works("rbac unassign-role", "Viewer -g hikers -w fells", "removed role 'Viewer' .* from group 'hikers'"),
    works("user-group delete", "hikers --yes", "hikers .* deleted"),

    works("template create", "boots {files}/template.yaml", "Created template boots"),
    works("template set", "boots {files}/template.yaml", "Set template boots"),
    works("template set-value config", "boots {files}/template.yaml", "Updated template boots"),
    works("template list", said="boots"),
    works("template describe", "boots", "max_restarts: 0"),
    works("config-policies set", "experiment {files}/policy.yaml -w fells", "max_slots: 8"),
    works("config-policies describe", "experiment -w fells", "max_slots: 8"),
    works("config-policies delete", "experiment -w fells", "Successfully deleted"),
    works("preview-search", "{files}/const.yaml", "train to completion"),

    works("experiment create", "{files}/const.yaml {files} --template boots --follow",
          r"Created experiment (?P<experiment>\d+)(?s:.*)Following first trial with ID (?P<trial>\d+)"),
    works("experiment wait", "{experiment} --polling-interval 1"),
    works("template remove", "boots", "Removed template boots"),
    works("experiment list", said="walk"),
    works("experiment describe", "{experiment} --metrics", "COMPLETED"),
    works("experiment config", "{experiment}", "max_restarts: 0"),
    works("experiment logs", "{experiment} --tail 2", "Trial log stream ended"),
    works("experiment list-trials", "{experiment}", "COMPLETED"),
    works("experiment list-checkpoints", "{experiment}", f"(?s)(?P<checkpoint>{UUID}).*?(?P<other_checkpoint>{UUID})"),
    works("experiment download", "{experiment} -o {files}/best", "{checkpoint}"),
    works("experiment download-model-def", "{experiment} --output-dir {files}"),
    works("experiment label add", "{experiment} uphill", "Added label 'uphill'"),
    works("experiment label remove", "{experiment} uphill", "Removed label 'uphill'"),
    works("experiment set description", "{experiment} 'over the hill'", "Set description"),
    works("experiment set name", "{experiment} walked", "Set name"),
    works("experiment describe", "{experiment}", "walked.*over the hill"),
    works("experiment set log-retention", "{experiment} --forever"),
    works("experiment set gc-policy", "{experiment} --save-experiment-best 2 --save-trial-best 2 --save-trial-latest 2 --yes"),
    works("experiment set gc-policy", "{experiment} --save-experiment-best 0 --save-trial-best 1 --save-trial-latest 1",
          r"will delete 0 checkpoints with validations and 0 checkpoints without(?s:.*)Set GC policy", typed=("y",)),
    works("experiment move", "{experiment} fells tracks"),
    works("project list-experiments", "fells tracks", "walked"),
    works("project describe", "fells tracks", "walked"),
    works("experiment archive", "{experiment}", "Archived experiment"),
    works("experiment unarchive", "{experiment}", "Unarchived experiment"),
    works("trial describe", "{trial} --metrics", "COMPLETED"),
    works("trial logs", "{trial}", "resources exited successfully"),
    works("trial set log-retention", "{trial} --days 9"),
    works("trial support-bundle", "{trial} -o {files}", "bundle path"),
    works("trial download", "{trial} --latest -o {files}/latest", "Local checkpoint path"),
    works("checkpoint describe", "{checkpoint}", "{checkpoint}"),
    works("checkpoint download", "{checkpoint} -o {files}/checkpoint", "Local checkpoint path"),
    works("checkpoint download", "{checkpoint} --mode master -o {files}/by-master", "Local checkpoint path"),
    works("model create", "stride --description 'one foot at a time'", "one foot at a time"),
    works("model register-version", "stride {checkpoint}", "{checkpoint}"),
    works("model list", said="stride"),
    works("model list-versions", "stride", "{checkpoint}"),
    works("model describe", "stride", "one foot at a time"),
    works("model move", "stride -w fells"),
    works("model list", "-w fells", "stride"),
    refused("checkpoint delete", "{checkpoint} --yes", "{checkpoint}"),
    works("model delete", "stride"),
    works("checkpoint rm", "{checkpoint} --glob 'no*such' --yes", "Removal of files .* is in progress"),
    works("checkpoint delete", "{other_checkpoint} --yes", "is in progress"),
    works("experiment delete-tb-files", "{experiment}"),

    works("command run", "--config resources.slots=0 echo we walk", r"we walk"),
    works("command list", "--all", "(?P<command>" + UUID + ")"),
    works("command logs", "{command}", "we walk"),
    works("command describe", "{command}", "{command}"),
    works("command config", "{command}", "entrypoint"),
    works("task logs", "{command} --tail 1", "Task log stream ended"),

    works("agent list", "--json", r'"id": "(?P<agent>[^"]+)"'),
    works("slot list", "--json", r'"slot_id": "(?P<slot>[^"]+)"'),
    works("slot disable", "{agent} {slot}"),
    works("slot list", said="{agent} .*{slot} .*False .*FREE"),
    works("slot enable", "{agent} {slot}"),
    works("slot list", said="{agent} .*{slot} .*True .*FREE"),

    works("shell start", "--detach --config resources.slots=1", f"(?P<shell>{UUID})"),
    works("shell open", "{shell} 'echo we walk in $DET_TASK_ID'", "we walk in {shell}"),
    works("shell list", said="{shell}"),
    works("shell config", "{shell}", "slots: 1"),
    works("shell logs", "{shell}", "Task log stream ended"),
    works("shell show-ssh-command", "{shell}", "ssh -o .*{shell}"),
    works("shell show_ssh_command", "{shell}", "ssh -o .*{shell}"),
    works("shell set priority", "{shell} 44", "Set priority of shell"),
    works("task list", said="{shell}"),
    works("shell kill", "{shell}", "Killed shell"),

    # From here on everything waits: nothing of it has to be installed, and nothing ends.
    works("agent disable", "{agent}", "Disabled agent"),
    works("notebook start", "--preview", "notebook_idle_type"),
    works("notebook start", "--detach --config resources.slots=1", f"(?P<notebook>{UUID})"),
    works("notebook list", "--json", r'"jobId": "(?P<job>[^"]+)"'),
    works("notebook config", "{notebook}", "slots: 1"),
    works("notebook open", "{notebook}"),
    works("notebook logs", "{notebook}", "Waiting to be scheduled", eventually=True),
    works("notebook set priority", "{notebook} 43", "Set priority of notebook"),
    works("job list", said="{job}"),
    works("job update", "{job} --priority 41"),
    works("job update-batch", "{job}.priority=40"),
    works("job list", said="{job}.* 40 "),
    refused("job update", "{job} --resource-pool elsewhere", "setting resource pool for job type NOTEBOOK is not supported"),
    works("notebook kill", "{notebook}", "Killed notebook"),
    works("command run", "--detach true", f"(?P<waiting>{UUID})"),
    works("command set priority", "{waiting} 43", "Set priority of command"),
    works("command kill", "{waiting}", "Killed command"),
    works("tensorboard start", "{experiment} --detach --config resources.slots=1 --config environment.environment_variables=[DET_SKIP_PIP_INSTALL=1]",
          f"(?P<tensorboard>{UUID})"),
    works("tensorboard list", said="{tensorboard}"),
    works("tensorboard config", "{tensorboard}", "slots"),
    works("tensorboard open", "{tensorboard}"),
    works("tensorboard logs", "{tensorboard}", "Task log stream ended"),
    works("tensorboard set priority", "{tensorboard} 43", "Set priority of tensorboard"),
    works("tensorboard kill", "{tensorboard}", "Killed tensorboard"),
    works("task create", "{files}/generic.yaml", f"Created task (?P<generic>{UUID})"),
    works("task config", "{generic}", "sleep"),
    works("task pause", "{generic}", "Paused task", eventually=True),
    works("task unpause", "{generic}", "Unpaused task", eventually=True),
    works("task fork", "{generic}", f"Created task (?P<forked>{UUID})"),
    works("task kill", "{generic}", "killed task"),
    works("task kill", "{forked}", "killed task"),
    works("task cleanup-logs", said="Deleted .* rows"),

    works("experiment create", "{files}/const.yaml {files} --paused", r"Created experiment (?P<paused>\d+)"),
    works("experiment set max-slots", "{paused} 1", "Set `max_slots`"),
    works("experiment set weight", "{paused} 2", "Set `weight`"),
    works("experiment set priority", "{paused} 45", "Set `priority`"),
    works("experiment activate", "{paused}", "Activated experiment"),
    works("experiment pause", "{paused}", "Paused experiment"),
    works("experiment cancel", "{paused}", "Canceled experiment"),
    works("experiment kill", "{paused}", "Killed experiment"),
    works("experiment continue", "{experiment}", "Continued experiment"),
    works("trial kill", "{trial}", "Killed trial"),
    works("agent enable", "{agent}", "Enabled agent"),
    works("experiment delete", "{paused} --yes", "Deletion of experiment .* is in progress", eventually=True),

    works("resources allocations", "2026-01-01T00:00:00Z 2036-01-01T00:00:00Z", "{experiment}"),
    works("resources raw", "2026-01-01T00:00:00Z 2036-01-01T00:00:00Z", "experiment_id"),
    works("resources raw", "2026-01-01T00:00:00Z 2036-01-01T00:00:00Z --json", '"resourceEntries":'),
    works("resources aggregated", "2026-01-01 2026-01-02", "aggregation_type"),
    works("resources aggregated", "2026-01 2026-02 --monthly --json", '"resourceEntries":'),
    works("project create", "fells bridges", "bridges"),
    works("project delete", "fells bridges --yes", "deleted"),
    works("workspace create", "moors", "moors"),
    works("workspace delete", "moors --yes", "deleted"),
)

# What an older `det` is called with in its place, or says in its own words; None: it has no such option.
OLDER = {"0.26": {
    ("master config set", "--log.level=INFO"): None,  # there is one command, which shows
    ("master config set", "--log.color=on"): None,
    ("auth list-providers", ""): None,  # it cannot show that there are none
    ("user create", f"walker --password {PASSWORD}"): works("user create", "walker"),
    ("user change-password", "walker"): works("user change-password", "walker", typed=(NEXT_PASSWORD, NEXT_PASSWORD)),
    ("user create", f"strider --password {PASSWORD}"): works("user create", "strider"),
    ("workspace create", "dales --namespace other"): None,
    ("workspace create", "dales --auto-create-namespace-all-clusters --resource-quota 1"): None,
    ("project create", "fells paths --description 'where one walks' --key PTH"): works("project create", "fells paths --description 'where one walks'", "where one walks"),
    ("project list", "fells"): works("project list", "fells", "paths"),
    # It does not know the permissions that came after it, and no role without them.
    ("rbac list-roles", ""): None,
    ("rbac describe-role", "Viewer"): None,
    ("rbac assign-role", "Viewer -g hikers -w fells"): None,
    ("rbac unassign-role", "Viewer -g hikers -w fells"): None,
    ("rbac list-groups-roles", "hikers"): works("rbac list-groups-roles", "hikers", "no role assignments"),
    ("rbac list-users-roles", "walker"): works("rbac list-users-roles", "walker", "no role assignments"),
    ("preview-search", "{files}/const.yaml"): works("preview-search", "{files}/const.yaml", r"1 trial\(s\)"),
    # It fails once the policy is set, with a name that it has not set itself.
    ("experiment set gc-policy", "{experiment} --save-experiment-best 2 --save-trial-best 2 --save-trial-latest 2 --yes"): None,
    # It cannot delete a model, whose versions hold their checkpoints.
    ("checkpoint rm", "{checkpoint} --glob 'no*such' --yes"): refused("checkpoint rm", "{checkpoint} --glob 'no*such' --yes", "in the model registry"),
}}
OLDER["0.19"] = OLDER["0.26"] | {
    ("user list", ""): works("user list", said="walker"),  # without display names, and always all
    ("user list", "--all"): None,
    ("experiment set gc-policy", "{experiment} --save-experiment-best 2 --save-trial-best 2 --save-trial-latest 2 --yes"): None,
    # It opens only what runs by now. The shell will; the others wait for its slot.
    ("shell open", "{shell} 'echo we walk in $DET_TASK_ID'"): works("shell open", "{shell} 'echo we walk in $DET_TASK_ID'", "we walk in {shell}", eventually=True),
    ("notebook open", "{notebook}"): None,
    ("tensorboard open", "{tensorboard}"): None,
}
# Leaves that went away before 0.38.
GONE = (works("master config", said="rbac_ui_enabled"),)


def calls_of(version, leaves):
    """The calls of a `det` of this version, whose parser has these leaves."""
    older = {} if version.startswith("0.38.") else OLDER[".".join(version.split(".")[:2])]
    for call in (*CALLS, *GONE):
        call = older.get((call.leaf, call.arguments), call)
        if call is not None and call.leaf in leaves:
            yield call
