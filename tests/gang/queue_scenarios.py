"""What others do meanwhile, who comes first, and PodGroups."""

from cluster import BACKEND, CORE, PODS, call, wait_for
from table import scenario


# --- others --------------------------------------------------------------------------------------------------------------
@scenario()
def other_peoples_pods_count(pool):
    nodes = pool.nodes(2)
    pool.foreign("x", nodes[0], gpus=1)
    pool.gang("a", 16)
    pool.waits("a", "InsufficientResource")
    pool.stays(1, "a")
    pool.remove_foreign("x")
    pool.runs("a")


@scenario()
def a_foreign_pod_arrives_while_a_gang_waits(pool):
    pool.nodes(1)
    pool.gang("a", 16)
    pool.waits("a")
    pool.foreign("x")
    wait_for("the foreign pod runs", lambda: call("GET", f"{PODS}/{pool.name}-x")["spec"].get("nodeName"))
    pool.nodes(1)
    pool.stays(1.5, "a")
    pool.remove_foreign("x")
    pool.runs("a")


@scenario()
def node_loss_ends_the_gang_and_it_comes_back(pool):
    nodes = pool.nodes(2)
    pool.gang("a", 16)
    pool.runs("a")
    pool.remove_node(nodes[0])
    wait_for("the next run", lambda: pool.status("a").get("run") == 2 and pool.status("a").get("infraRestarts") == 1)
    pool.waits("a")
    assert pool.status("a")["restarts"] == 0
    pool.nodes(1)
    pool.runs("a")


@scenario()
def a_gang_deleted_while_it_waits_leaves_nothing(pool):
    pool.nodes(2)
    pool.gang("a", 32)
    pool.waits("a")
    pool.delete("a")
    wait_for("nothing of it", lambda: not pool.trials("a") and not pool.pods("a"))
    pool.gang("b", 16)
    pool.runs("b")


@scenario()
def deleting_a_running_gang_lets_the_next_one_run(pool):
    pool.nodes(2)
    pool.gang("a", 16)
    pool.runs("a")
    pool.gang("b", 16)
    pool.waits("b")
    pool.delete("a")
    pool.runs("b")


@scenario()
def pausing_a_running_gang_lets_the_next_one_run(pool):
    pool.nodes(2)
    pool.gang("a", 16)
    pool.runs("a")
    pool.gang("b", 16)
    pool.waits("b")
    pool.edit("a", {"suspend": True})
    pool.runs("b")
    pool.edit("a", {"suspend": False})
    pool.waits("a")
    pool.finish("b")
    pool.runs("a")


@scenario()
def a_gang_paused_while_it_waits_is_not_in_the_queue(pool):
    pool.nodes(1)
    pool.gang("a", 16)
    pool.waits("a")
    pool.edit("a", {"suspend": True})
    wait_for("paused, without pods", lambda: pool.status("a").get("state") == "PAUSED" and not pool.pods("a"))
    pool.nodes(1)
    pool.stays(1, "a")
    pool.edit("a", {"suspend": False})
    pool.runs("a")


@scenario()
def killing_a_waiting_gang_ends_it(pool):
    pool.nodes(1)
    pool.gang("a", 16)
    pool.waits("a")
    pool.edit("a", {"stop": "Kill"})
    wait_for("canceled", lambda: pool.status("a").get("state") == "CANCELED" and not pool.pods("a"))


def refuses(pool, gpus):
    """Whether a pod of that many GPUs exceeds the quota: admission learns of a new one a moment after its status is there. Nothing is
    created: a pod that goes has its quota counted anew, and a count that began before a pod was stored forgets that pod."""
    spec = {"containers": [{"name": "c", "image": "x", "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}], "priorityClassName": pool.name}
    try:
        call("POST", f"{PODS}?dryRun=All", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{pool.name}-over"}, "spec": spec})
    except AssertionError as refused:
        return "exceeded quota" in str(refused)
    return False


@scenario(alone=True)  # every pod that goes anywhere in the namespace has its quotas counted anew (see refuses)
def a_quota_short_by_one_pod(pool):
    pool.nodes(2)
    pool.create("/apis/scheduling.k8s.io/v1/priorityclasses",
                {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": pool.name}, "value": 7})
    scope = {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": [pool.name]}]}
    quotas = f"{CORE}/namespaces/default/resourcequotas"
    # Pods of the test before, on their way out, have the quota counted anew: a count could forget the first pod of the gang.
    wait_for("the namespace is empty", lambda: not call("GET", PODS)["items"])
    pool.create(quotas, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": pool.name},
                         "spec": {"hard": {"requests.nvidia.com/gpu": "8"}, "scopeSelector": scope}})
    wait_for("the quota counts", lambda: call("GET", f"{quotas}/{pool.name}").get("status", {}).get("hard"))
    wait_for("the API server refuses what is over it", lambda: refuses(pool, 16))
    pool.gang("a", 16, spec={"priorityClassName": pool.name, "nodeSelector": {"pool": pool.name}})
    pool.waits("a", "QuotaExceeded", "requests.nvidia.com/gpu")
    pool.stays(1, "a")
    call("PATCH", f"{quotas}/{pool.name}", {"spec": {"hard": {"requests.nvidia.com/gpu": "16"}}})
    pool.runs("a")


# --- order ---------------------------------------------------------------------------------------------------------------
@scenario("own")
def the_higher_priority_runs_first(pool):
    pool.nodes(1)
    pool.gang("running", 8)
    pool.runs("running")
    pool.gang("low", 8, priority=10)
    pool.waits("low")
    pool.gang("high", 8, priority=90)
    pool.waits("high")
    pool.finish("running")
    pool.runs("high")
    pool.waits("low")


@scenario("own")
def the_earlier_of_equals_runs_first(pool):
    pool.nodes(1)
    names = ["first", "second", "third"]
    for name in names:
        pool.gang(name, 8)
        pool.runs(name) if name == "first" else pool.waits(name)
    for done, following in zip(names, names[1:]):
        pool.finish(done)
        pool.runs(following)


@scenario("own")
def a_small_gang_does_not_overtake_the_head(pool):
    nodes = pool.nodes(2)
    pool.foreign("x", nodes[0])
    wait_for("the foreign pod", lambda: pool.foreign_phase("x") == "Running")
    pool.gang("large", 16)
    pool.waits("large")
    pool.gang("small", 8)
    pool.waits("small", "WaitsItsTurn")
    pool.stays(2, "small")
    pool.remove_foreign("x")
    pool.runs("large")


@scenario()
def a_small_gang_runs_beside_what_is_kept_for_the_head(pool):
    nodes = pool.nodes(2, gpus=12)
    pool.foreign("x", nodes[0])
    wait_for("the foreign pod", lambda: pool.foreign_phase("x") == "Running")
    pool.gang("large", 16)
    pool.waits("large")
    pool.gang("small", 4)
    pool.runs("small")
    pool.remove_foreign("x")
    pool.runs("large")


@scenario("own")
def a_gang_that_cannot_be_bound_whole_is_withdrawn_whole(pool):
    # Both pods want port 7777 of the one node that has room: the scheduler does not look at ports, kube-scheduler binds one only.
    pool.nodes(1, gpus=16)
    pool.gang("a", 16, spec={"containers": [{"name": "determined-container"},
                                            {"name": "web", "image": "x", "ports": [{"containerPort": 7777, "hostPort": 7777}]}],
                             "nodeSelector": {"pool": pool.name}})
    wait_for("half of it is bound", lambda: len(pool.bound("a")) == 1)
    wait_for("it is withdrawn", lambda: pool.status("a").get("scheduling", {}).get("code") == "BackingOff" and not pool.pods("a"))
    assert pool.status("a")["restarts"] == 0 and pool.status("a")["infraRestarts"] == 0
    pool.nodes(1, gpus=8)
    pool.runs("a")


# --- PodGroups -----------------------------------------------------------------------------------------------------------
GROUPS = ("/apis/scheduling.k8s.io/v1alpha2" if BACKEND == "native" else "/apis/scheduling.x-k8s.io/v1alpha1") + "/namespaces/default/podgroups"


def groups_of(pool, name):
    return [g for g in call("GET", GROUPS)["items"] if g["metadata"]["name"].startswith(f"{pool.name}-{name}-")]


@scenario("native", "coscheduling")
def a_pod_group_goes_with_its_gang(pool):
    pool.nodes(2)
    pool.gang("a", 16)
    pool.runs("a")
    assert len(groups_of(pool, "a")) == 1
    pool.finish("a")
    wait_for("the PodGroup is gone", lambda: not groups_of(pool, "a"))


@scenario("native", "coscheduling")
def a_pod_group_that_is_missing_is_made_again(pool):
    pool.nodes(1)
    pool.gang("a", 16)
    pool.waits("a")
    (group,) = groups_of(pool, "a")
    path = f"{GROUPS}/{group['metadata']['name']}"
    if BACKEND == "native":
        # The finalizer holds it while its pods are there: taking that away is what somebody in a hurry does.
        call("PATCH", path, {"metadata": {"finalizers": None}})
    call("DELETE", path)
    wait_for("it is there again", lambda: [g for g in groups_of(pool, "a") if g["metadata"]["uid"] != group["metadata"]["uid"]])
    pool.nodes(1)
    pool.runs("a")


@scenario("coscheduling")
def the_pod_group_says_how_many_and_the_pods_name_it(pool):
    pool.nodes(3)
    pool.gang("a", 24)
    pool.runs("a")
    (group,) = groups_of(pool, "a")
    assert group["spec"] == {"minMember": 3, "scheduleTimeoutSeconds": 8}, group["spec"]
    assert group["metadata"]["ownerReferences"][0]["kind"] == "Trial", group["metadata"]
    for pod in pool.pods("a"):
        assert pod["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] == group["metadata"]["name"], pod["metadata"]
        assert pod["spec"]["schedulerName"] == "scheduler-plugins-scheduler", pod["spec"]["schedulerName"]
