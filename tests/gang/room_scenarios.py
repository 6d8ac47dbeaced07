"""Whether there is room for a gang, and where it may go."""

from cluster import wait_for
from table import mounting, node_affinity, requirement, scenario, volume


# --- room ----------------------------------------------------------------------------------------------------------------
@scenario()
def a_gang_that_fits_runs(pool):
    nodes = pool.nodes(2)
    pool.gang("a", 16)
    assert pool.runs("a") == nodes


@scenario()
def one_pod_fits_on_one_node(pool):
    pool.nodes(1)
    pool.gang("a", 4)
    pool.runs("a")


@scenario()
def a_gang_without_slots_runs(pool):
    pool.nodes(1, gpus=0)
    pool.gang("a", 0)
    pool.runs("a")


@scenario()
def too_small_none_bound_then_grows_all_bound(pool):
    pool.nodes(3)
    pool.gang("a", 32)
    pool.waits("a", "GangNeverFits")
    pool.stays(1, "a")
    pool.nodes(1)
    pool.runs("a")


@scenario()
def a_pool_without_nodes_waits_and_grows(pool):
    pool.gang("a", 16)
    pool.waits("a")
    pool.nodes(2)
    pool.runs("a")


@scenario()
def more_gpus_than_any_node_has_waits(pool):
    pool.nodes(2, gpus=4)
    pool.gang("a", 8)
    pool.waits("a", "InsufficientResource", "nvidia.com/gpu")
    pool.stays(1, "a")


@scenario()
def two_pods_share_a_large_node(pool):
    nodes = pool.nodes(1, gpus=16)
    pool.gang("a", 16)
    assert pool.runs("a") == nodes * 2


@scenario()
def two_gangs_that_each_need_more_than_half_run_one_after_the_other(pool):
    pool.nodes(3)
    pool.gang("a", 16)
    pool.runs("a")
    pool.gang("b", 16)
    pool.waits("b")
    pool.stays(1, "b")
    pool.finish("a")
    pool.runs("b")


@scenario()
def two_gangs_at_once_never_hold_half_each(pool):
    pool.nodes(4)
    pool.gang("a", 24)
    pool.gang("b", 24)
    first = wait_for("one of them runs", lambda: next((n for n in "ab" if len(pool.bound(n)) == 3), None))
    second = "b" if first == "a" else "a"
    pool.waits(second)
    pool.stays(1, second)
    pool.runs(first)
    pool.finish(first)
    pool.runs(second)


@scenario()
def four_gangs_through_room_for_two(pool):
    pool.nodes(4)
    left = ["a", "b", "c", "d"]
    for name in left:
        pool.gang(name, 16)
    while left:
        running = wait_for("some gang runs whole", lambda: [n for n in left if len(pool.bound(n)) == 2])
        counts = [len(pool.bound(n)) for n in left]
        assert len([c for c in counts if c]) <= 2, counts
        pool.runs(running[0])
        pool.finish(running[0])
        left.remove(running[0])


@scenario()
def short_of_cpu(pool):
    pool.nodes(2, cpu="4")
    pool.gang("a", 16, container={"resources": {"requests": {"cpu": "8"}}})
    pool.waits("a", "InsufficientResource", '"cpu"')
    pool.nodes(2)
    pool.runs("a")


@scenario()
def short_of_memory(pool):
    pool.nodes(2, memory="16Gi")
    pool.gang("a", 16, container={"resources": {"requests": {"memory": "32Gi"}}})
    pool.waits("a", "InsufficientResource", '"memory"', "32Gi")


@scenario()
def short_of_ephemeral_storage(pool):
    pool.nodes(1)
    pool.gang("a", 8, container={"resources": {"requests": {"ephemeral-storage": "200Gi"}}})
    pool.waits("a", "InsufficientResource", "ephemeral-storage")


@scenario()
def one_infiniband_port_a_node_spreads_the_gang(pool):
    nodes = pool.nodes(2, gpus=16)
    pool.gang("a", 16, container={"resources": {"limits": {"rdma/ib": "1"}}})
    assert pool.runs("a") == nodes


@scenario()
def a_node_takes_only_so_many_pods(pool):
    pool.nodes(1, gpus=16, pods="1")
    pool.gang("a", 16)
    pool.waits("a", '"pods"')
    pool.nodes(1, gpus=16, pods="1")
    pool.runs("a")


@scenario()
def init_containers_count(pool):
    pool.nodes(1, cpu="4")
    pool.gang("a", 1, spec={"initContainers": [{"name": "i", "image": "x", "resources": {"requests": {"cpu": "6"}}}]})
    pool.waits("a", '"cpu"')


@scenario()
def a_search_runs_as_many_trials_as_have_room(pool):
    pool.nodes(2)
    pool.gang("a", 8, searcher={"name": "grid", "metric": "loss", "max_length": {"batches": 9}, "max_concurrent_trials": 4},
              hyperparameters={"x": {"type": "categorical", "vals": [1, 2, 3, 4]}})
    wait_for("four trials", lambda: len(pool.trials("a")) == 4)
    wait_for("two of them run", lambda: len(pool.bound("a")) == 2)
    wait_for("two wait", lambda: len([t for t in pool.trials("a") if t.get("status", {}).get("state") == "QUEUED"]) == 2)


# --- where ---------------------------------------------------------------------------------------------------------------
@scenario()
def a_taint_repels_until_it_goes(pool):
    (node,) = pool.nodes(1, taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])
    pool.gang("a", 8)
    pool.waits("a", "UntoleratedTaint", "team=x:NoSchedule")
    pool.patch_node(node, {"spec": {"taints": []}})
    pool.runs("a")


@scenario()
def a_toleration_admits(pool):
    pool.nodes(2, taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])
    pool.gang("a", 16, spec={"tolerations": [{"key": "team", "operator": "Equal", "value": "x"}]})
    pool.runs("a")


@scenario()
def a_node_selector_waits_for_its_label(pool):
    (node,) = pool.nodes(1)
    pool.gang("a", 8, spec={"nodeSelector": {"pool": pool.name, "disk": "fast"}})
    pool.waits("a", "NodeSelectorMismatch")
    pool.patch_node(node, {"metadata": {"labels": {"disk": "fast"}}})
    pool.runs("a")


@scenario()
def affinity_in(pool):
    pool.nodes(2, labels={"class": "A40"})
    right = pool.nodes(2, labels={"class": "A100"})
    pool.gang("a", 16, spec=node_affinity([requirement("class", "In", "A100", "H100")]))
    assert pool.runs("a") == right


@scenario()
def affinity_not_in_and_exists(pool):
    pool.nodes(1, labels={"class": "A40"})
    pool.nodes(1)
    right = pool.nodes(1, labels={"class": "A100"})
    pool.gang("a", 8, spec=node_affinity([requirement("class", "NotIn", "A40"), requirement("class", "Exists")]))
    assert pool.runs("a") == right


@scenario()
def affinity_does_not_exist_and_greater(pool):
    pool.nodes(1, labels={"drain": "", "generation": "9"})
    pool.nodes(1, labels={"generation": "3"})
    right = pool.nodes(1, labels={"generation": "5"})
    pool.gang("a", 8, spec=node_affinity([requirement("drain", "DoesNotExist"), requirement("generation", "Gt", "4")]))
    assert pool.runs("a") == right


@scenario()
def one_of_several_affinity_terms_is_enough(pool):
    right = pool.nodes(1, labels={"class": "A40"}) + pool.nodes(1, labels={"class": "H100"})
    pool.nodes(2, labels={"class": "T4"})
    pool.gang("a", 16, spec=node_affinity([requirement("class", "In", "A40")], [requirement("class", "In", "H100")]))
    assert pool.runs("a") == right


@scenario()
def affinity_for_a_class_that_is_not_there_waits(pool):
    pool.nodes(2)
    pool.gang("a", 16, spec=node_affinity([requirement("class", "In", "B999")]))
    pool.waits("a", "NodeSelectorMismatch", "didn't match Pod's node affinity/selector")
    pool.gang("b", 16)
    pool.runs("b")


@scenario()
def a_cordoned_node_waits_for_uncordon(pool):
    nodes = pool.nodes(2)
    pool.patch_node(nodes[0], {"spec": {"unschedulable": True}})
    pool.gang("a", 16)
    pool.waits("a")
    pool.patch_node(nodes[0], {"spec": {"unschedulable": None}})
    pool.runs("a")


@scenario()
def a_node_that_is_not_ready_does_not_count(pool):
    pool.nodes(1)
    pool.nodes(1, labels={"fake.test/broken": "yes"})
    pool.gang("a", 16)
    pool.waits("a", "NodeNotReady")


@scenario()
def hosts_of_their_own_by_anti_affinity(pool):
    rule = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"apart": pool.name}}}
    pool.nodes(1, gpus=16)
    pool.gang("a", 16, labels={"apart": pool.name},
              spec={"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [rule]}}})
    pool.waits("a")
    pool.nodes(1, gpus=16)
    assert len(set(pool.runs("a"))) == 2


@scenario()
def a_gang_goes_where_its_volume_is(pool):
    nodes = pool.nodes(3)
    volume(pool, f"{pool.name}-data", nodes[1])
    pool.gang("a", 8, spec=mounting(f"{pool.name}-data"))
    assert pool.runs("a") == [nodes[1]]


@scenario()
def a_gang_of_two_cannot_both_be_where_one_volume_is(pool):
    nodes = pool.nodes(3)
    volume(pool, f"{pool.name}-data", nodes[1])
    pool.gang("a", 16, spec=mounting(f"{pool.name}-data"))
    pool.waits("a", "VolumeElsewhere")
    pool.stays(1, "a")


@scenario()
def a_missing_claim_is_waited_for(pool):
    pool.nodes(1)
    pool.gang("a", 8, spec=mounting(f"{pool.name}-data"))
    pool.waits("a", "ClaimMissing", f"{pool.name}-data")
    volume(pool, f"{pool.name}-data")
    pool.runs("a")


@scenario("own")
def a_gang_stays_in_one_zone(pool):
    for i in range(6):
        pool.nodes(1, labels={"topology.kubernetes.io/zone": f"z{i % 2}"})
    pool.foreign("x", f"{pool.name}-0")
    wait_for("the foreign pod", lambda: pool.foreign_phase("x") == "Running")
    pool.gang("a", 24)
    assert pool.runs("a") == [f"{pool.name}-{i}" for i in (1, 3, 5)]
