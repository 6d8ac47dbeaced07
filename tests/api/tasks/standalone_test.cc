// Notebooks, shells, commands and TensorBoards by REST.

#include "tests/api/fixture.h"

namespace det::api {
namespace {

struct Standalone : ApiTest {
  // A token of somebody else.
  std::string somebody_else() {
    must(users.create({.username = "other", .display_name = {}, .password_hash = {}}));
    return must(authenticator.login({.username = "other", .password = "", .is_hashed = true, .peer = "127.0.0.1:1"}))
        .token;
  }
  json launch(const std::string& kind, const json& config) {
    const Answer made = post("/api/v1/" + kind + "s", {{"config", config}});
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body().value(kind, json::object());
  }
  [[nodiscard]] json object_named(const std::string& name) const {
    return kubernetes.find(k8s::tasks(), {.ns = "team", .name = name});
  }
};

TEST_F(Standalone, ACommandIsARowAndAnObject) {
  const json command = launch("command", {{"entrypoint", {"echo", "hi"}}, {"resources", {{"slots", 0}}}});
  EXPECT_EQ(command["username"], "determined");
  EXPECT_EQ(command["workspaceId"], 1);
  const auto row = must(tasks.find(command["id"]));
  ASSERT_TRUE(row);
  EXPECT_EQ(row->type, "COMMAND");
  const json object = object_named(row->name);
  EXPECT_EQ(object.at("/spec/type"_json_pointer), "Command");
  EXPECT_EQ(object.at("/spec/config/entrypoint"_json_pointer), json({"echo", "hi"}));
  EXPECT_EQ(row->uid, object.at("/metadata/uid"_json_pointer).get<std::string>());
  const Answer read = get("/api/v1/commands/" + row->id);
  EXPECT_EQ(read.body().at("/config/resources/slots"_json_pointer), 0);
  EXPECT_EQ(get("/api/v1/notebooks/" + row->id).status, 404) << "it is no notebook";
}

TEST_F(Standalone, ATensorBoardPullsTheImageOfItsExperimentAsThatDoes) {
  const std::int64_t experiment = create(std::string(kConst) +
                                         "environment:\n  image: private/image\n  pod_spec: {spec: {imagePullSecrets: "
                                         "[{name: theirs}]}}\n");
  const auto pulls = [&](const json& config) {
    const Answer made = post("/api/v1/tensorboards", {{"experimentIds", {experiment}}, {"config", config}});
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body()
        .at("/config/environment"_json_pointer)
        .value("/pod_spec/spec/imagePullSecrets"_json_pointer, json());
  };
  EXPECT_EQ(pulls(json::object()), json({{{"name", "theirs"}}}));
  const json own = {{"environment", {{"pod_spec", {{"spec", {{"imagePullSecrets", {{{"name", "own"}}}}}}}}}}};
  EXPECT_EQ(pulls(own), json({{{"name", "own"}}, {{"name", "theirs"}}}));
  EXPECT_EQ(pulls({{"environment", {{"image", "public/image"}}}}), json());
  const json wrong = {{"environment", {{"pod_spec", 5}}}};
  EXPECT_EQ(post("/api/v1/tensorboards", {{"experimentIds", {experiment}}, {"config", wrong}}).status, 400);
}

TEST_F(Standalone, ATensorBoardsOwnMountCountsWhereItsExperimentHasOne) {
  services.settings.master.pod_policies.cluster["host_paths"] = {"/data"};
  const std::int64_t experiment = create(
      "name: const\nentrypoint: python3 train.py\nsearcher: {name: single, metric: loss}\n"
      "bind_mounts: [{host_path: /data/theirs, container_path: /files}]\n"
      "checkpoint_storage: {type: directory, container_path: /files}\n");
  std::vector<std::string> mounted;  // there, in the pod that the gate shows to the API server
  kubernetes.admit_with([&](const std::string&, json& object) {
    const json volumes = object.value("/spec/volumes"_json_pointer, json::array());
    for (const json& container : object.value("/spec/containers"_json_pointer, json::array())) {
      for (const json& mount : container.value("volumeMounts", json::array())) {
        if (mount["mountPath"] != "/files") continue;
        const auto volume = std::ranges::find(volumes, mount["name"], [](const json& one) { return one["name"]; });
        mounted.push_back(volume->at("/hostPath/path"_json_pointer));
      }
    }
  });
  const json config = {{"bind_mounts", {{{"host_path", "/data/own"}, {"container_path", "/files"}}}}};
  const Answer made = post("/api/v1/tensorboards", {{"experimentIds", {experiment}}, {"config", config}});
  EXPECT_EQ(made.status, 200) << made.text;
  EXPECT_EQ(mounted, std::vector<std::string>{"/data/own"});
}

constexpr const char* kPlain = "name: const\nentrypoint: python3 train.py\nsearcher: {name: single, metric: loss}\n";

// The pod would give the keys of the one to the programs of the other.
TEST_F(Standalone, ATensorBoardOverSomebodyElsesCredentialsRunsNoImageOfItsOwner) {
  const std::int64_t theirs =
      create(std::string(kPlain) + "checkpoint_storage: {type: s3, bucket: b, access_key: K, secret_key: S}\n");
  token = somebody_else();
  const std::int64_t own = create(std::string(kPlain) +
                                  "checkpoint_storage: {type: s3, bucket: x, access_key: '', secret_key: ''}\n"
                                  "environment: {image: evil/image}\n");
  const auto image_over = [this](const json& experiments) {
    const Answer made = post("/api/v1/tensorboards", {{"experimentIds", experiments}});
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body().at("/config/environment/image/cpu"_json_pointer).get<std::string>();
  };
  EXPECT_EQ(image_over({own}), "evil/image");
  EXPECT_NE(image_over({theirs, own}), "evil/image");
}

TEST_F(Standalone, ATensorBoardMountsNoFolderThatItsNamespaceMayNot) {
  services.settings.master.pod_policies.cluster["host_paths"] = {"/data"};
  const std::int64_t experiment = create(std::string(kPlain) +
                                         "bind_mounts: [{host_path: /data/theirs, container_path: /files}]\n"
                                         "checkpoint_storage: {type: directory, container_path: /files}\n");
  const auto start = [this, experiment] { return post("/api/v1/tensorboards", {{"experimentIds", {experiment}}}); };
  EXPECT_EQ(start().status, 200);
  sql("UPDATE experiments SET namespace = 'elsewhere'");
  EXPECT_EQ(start().status, 200) << "here it may be mounted too";
  services.settings.master.pod_policies.namespaces["team"] = {{"host_paths", json::array()}};
  const Answer refused = start();
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(),
              testing::HasSubstr("keeps its files in a folder that pods of namespace team may not mount"));
}

// It has no pods, so nobody looked at its folder when it was made.
TEST_F(Standalone, ATensorBoardMountsNoFolderOfAnUnmanagedExperimentThatPodsMayNot) {
  const std::string config = std::string(kPlain) + "checkpoint_storage: {type: shared_fs, host_path: /etc}\n";
  const Answer made = post("/api/v1/experiments", {{"config", config}, {"unmanaged", true}});
  ASSERT_EQ(made.status, 200) << made.text;
  const json id = made.body().at("/experiment/id"_json_pointer);
  const Answer refused = post("/api/v1/tensorboards", {{"experimentIds", {id}}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.error(), testing::HasSubstr("the host path \"/etc\" may not be used here"));
}

TEST_F(Standalone, WhatWaitedForDataAndServesNowRuns) {
  const std::string id = launch("command", {{"entrypoint", {"sleep", "9"}}})["id"];
  const std::string allocation = model::allocation_id(id, 1);
  must(tasks.start_run(must(cluster.load_or_create()).epoch, id, new_run(1, "01")));
  const auto state = [&] { return get("/api/v1/commands/" + id).body().at("/command/state"_json_pointer); };
  must(allocations.advance(allocation, model::AllocationState::kWaiting));
  EXPECT_EQ(state(), "STATE_WAITING");
  const auto counted = [&] { return get("/api/v1/tasks/count").body()["commands"]; };
  EXPECT_EQ(counted(), 0);
  must(allocations.mark_ready(allocation));
  EXPECT_EQ(state(), "STATE_RUNNING");
  EXPECT_EQ(counted(), 1);
}

TEST_F(Standalone, AreListedInTheOrderOfWhatTheAnswersShow) {
  const std::string first = launch("command", {{"entrypoint", {"sleep", "9"}}, {"description", "b"}})["id"];
  const std::string second = launch("command", {{"entrypoint", {"sleep", "9"}}, {"description", "a"}})["id"];
  must(tasks.start_run(must(cluster.load_or_create()).epoch, first, new_run(1, "01")));
  must(allocations.mark_ready(model::allocation_id(first, 1)));
  const auto ids = [this](const std::string& query) {
    std::vector<std::string> found;
    for (const json& one : get("/api/v1/commands?" + query).body()["commands"]) found.push_back(one["id"]);
    return found;
  };
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids("sortBy=SORT_BY_DESCRIPTION"), (Ids{second, first}));
  EXPECT_EQ(ids("sortBy=SORT_BY_STATE"), (Ids{second, first})) << "queued, running";
  EXPECT_EQ(ids("sortBy=SORT_BY_RESOURCE_POOL"), (Ids{first, second})) << "the same pool: by number";
  EXPECT_EQ(ids("offset=1&limit=9223372036854775807").size(), 1U);
}

TEST_F(Standalone, AreListedByWorkspace) {
  const auto make = [&](const std::string& name) {
    return must(workspaces.create({.name = name, .owner = {1}, .agent = {}, .defaults = {}})).value;
  };
  const std::int64_t first = make("z");
  const std::int64_t second = make("a");
  const auto start = [&](std::int64_t workspace) {
    const json config = {{"entrypoint", {"sleep", "9"}}};
    return post("/api/v1/commands", {{"config", config}, {"workspaceId", workspace}}).status;
  };
  EXPECT_EQ(start(second), 200);
  EXPECT_EQ(start(first), 200);
  const json found = get("/api/v1/commands?sortBy=SORT_BY_WORKSPACE_ID").body()["commands"];
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]["workspaceId"], first) << "by number, not by name";
  const auto of = [&](std::int64_t workspace) {
    return get("/api/v1/commands?workspaceId=" + std::to_string(workspace));
  };
  EXPECT_EQ(of(second).body()["commands"].size(), 1U);
  EXPECT_EQ(of(0).body()["commands"].size(), 2U) << "all";
  for (const char* kind : {"notebooks", "shells", "commands", "tensorboards"}) {
    const Answer none = get("/api/v1/" + std::string(kind) + "?workspaceId=999");
    EXPECT_EQ(none.status, 404) << kind;
    EXPECT_EQ(none.error(), "workspace '999' not found");
  }
  services.settings.master.authz.has_roles = true;
  EXPECT_EQ(of(second).error(), "workspace '" + std::to_string(second) + "' not found") << "it is not to be seen";
}

TEST_F(Standalone, PortsAreListedWithTheRunThatOpensThem) {
  const std::string id = launch("command", {{"entrypoint", {"sleep", "9"}}})["id"];
  const store::Epoch epoch = must(cluster.load_or_create()).epoch;
  must(tasks.start_run(epoch, id, new_run(1, "01")));
  const auto ports = [this, allocation = model::allocation_id(id, 1)] {
    return get("/api/v1/tasks").body()["allocationIdToSummary"][allocation]["proxyPorts"];
  };
  EXPECT_EQ(ports(), json::array()) << "its pod has no address yet";
  const json legacy = get("/tasks").body().at(model::allocation_id(id, 1));
  EXPECT_EQ(legacy["task_id"], id);
  EXPECT_EQ(legacy["slots_needed"],
            get("/api/v1/tasks").body()["allocationIdToSummary"][legacy["allocation_id"]]["slotsNeeded"]);
  EXPECT_FALSE(legacy.contains("proxy_ports"));
  const auto service = [&](const std::string& its_id, int port, bool is_tcp) {
    store::ProxyService made;
    made.id = its_id;
    made.address = "10.0.0.7";
    made.port = port;
    made.is_tcp = made.is_unauthenticated = is_tcp;
    made.owner = {2};
    return made;
  };
  must(StoreTest::services.publish(
      epoch, model::allocation_id(id, 1),
      {service(id + ":8000", 8000, false), service(id + ":443", 443, true), service(id, 8000, false)}));
  EXPECT_EQ(ports(), json::parse(R"([{"serviceId": ")" + id + R"(:443", "port": 443, "proxyTcp": true,
                                      "unauthenticated": true},
                                     {"serviceId": ")" +
                                 id + R"(", "port": 8000, "proxyTcp": false,
                                      "unauthenticated": false}])"))
      << "the one that is the task's own service is listed as that";
  must(allocations.end(model::allocation_id(id, 1), "done", 0));
  EXPECT_TRUE(get("/api/v1/tasks").body()["allocationIdToSummary"].empty());
}

TEST_F(Standalone, AnswersSayHowLongNobodyUsedANotebook) {
  const std::string id = launch("notebook", {{"idle_timeout", "30m"}})["id"];
  const auto shown = [this, id] { return get("/api/v1/notebooks/" + id).body()["notebook"]; };
  EXPECT_FALSE(shown().contains("idleSince")) << "nobody could use it yet";
  const store::Epoch epoch = must(cluster.load_or_create()).epoch;
  must(tasks.start_run(epoch, id, new_run(1, "01")));
  store::ProxyService service;
  service.id = id;
  service.address = "10.0.0.7";
  service.port = 8888;
  service.owner = {2};
  must(StoreTest::services.publish(epoch, model::allocation_id(id, 1), {service}));
  const WallTime later = clock.wall_now() + std::chrono::hours(1);
  must(StoreTest::services.note_requests({{id, later}}));
  EXPECT_EQ(shown()["idleSince"], format_rfc3339_micros(later));
  EXPECT_EQ(shown()["idleTimeout"], 1800);
  must(tasks.note_active(id, later + std::chrono::minutes(1)));
  EXPECT_EQ(shown()["idleSince"], format_rfc3339_micros(later + std::chrono::minutes(1))) << "the later counts";
  EXPECT_EQ(get("/api/v1/notebooks").body()["notebooks"][0]["idleTimeout"], 1800);
  const std::string other = launch("shell", json::object())["id"];
  EXPECT_FALSE(get("/api/v1/shells/" + other).body()["shell"].contains("idleTimeout"));
}

TEST_F(Standalone, APreviewStartsNothing) {
  const Answer shown = post("/api/v1/notebooks", {{"config", json::object()}, {"preview", true}});
  EXPECT_EQ(shown.status, 200) << shown.text;
  EXPECT_TRUE(shown.body()["config"].contains("environment"));
  EXPECT_TRUE(must(tasks.list({})).empty());
}

TEST_F(Standalone, AllThatIsWrongIsSaidAtOnce) {
  const Answer refused = post("/api/v1/commands", {{"config", {{"resources", {{"slots", -1}}}, {"bind_mounts", "x"}}}});
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.text.find("slots"), std::string::npos) << refused.text;
  EXPECT_NE(refused.text.find("bind_mounts"), std::string::npos) << refused.text;
  EXPECT_EQ(post("/api/v1/commands", {{"config", "text"}}).status, 400);
  EXPECT_EQ(post("/api/v1/tensorboards", {{"experimentIds", {99}}}).status, 404);
  EXPECT_TRUE(must(tasks.list({})).empty());
}

TEST_F(Standalone, KeysAreShownToTheOwnerAndAdminsOnly) {
  const std::string id = launch("shell", json::object())["id"];
  EXPECT_FALSE(get("/api/v1/shells/" + id).body()["shell"].value("privateKey", "").empty());
  const std::string mine = std::exchange(token, somebody_else());
  const json shown = get("/api/v1/shells/" + id).body()["shell"];
  EXPECT_TRUE(shown.value("privateKey", "").empty());
  EXPECT_EQ(post("/api/v1/shells/" + id + "/kill").status, 403);
  EXPECT_EQ(post("/api/v1/shells/" + id + "/set_priority", {{"priority", 1}}).status, 403);
  token = mine;
  EXPECT_EQ(post("/api/v1/shells/" + id + "/set_priority", {{"priority", 7}}).status, 200);
  EXPECT_EQ(must(tasks.find(id))->priority, 7);
  EXPECT_EQ(post("/api/v1/shells/" + id + "/set_priority", {{"priority", 100}}).status, 400);
}

TEST_F(Standalone, KillAsksTheObjectToStop) {
  const std::string id = launch("notebook", json::object())["id"];
  EXPECT_EQ(post("/api/v1/notebooks/" + id + "/kill").status, 200);
  EXPECT_EQ(object_named(must(tasks.find(id))->name).at("/spec/stop"_json_pointer), "Kill");
}

struct Generic : Standalone {
  std::string make(json body) {
    if (!body.contains("config")) body["config"] = "entrypoint: [echo, task ran]";
    const Answer made = post("/api/v1/generic-tasks", body);
    EXPECT_EQ(made.status, 200) << made.text;
    return made.body().value("taskId", "");
  }
  [[nodiscard]] bool is_suspended(const std::string& id) {
    return object_named(must(tasks.find(id))->name).at("spec").value("suspend", false);
  }
};

TEST_F(Generic, TheConfigurationIsKeptAsGiven) {
  const std::string id = make(json::object());
  const Answer config = get("/api/v1/tasks/" + id + "/config");
  EXPECT_EQ(json::parse(config.body()["config"].get<std::string>()), json({{"entrypoint", {"echo", "task ran"}}}));
  const json task = get("/api/v1/tasks/" + id).body()["task"];
  EXPECT_EQ(task["taskType"], "TASK_TYPE_GENERIC");
  EXPECT_EQ(task["taskState"], "GENERIC_TASK_STATE_ACTIVE");
}

TEST_F(Generic, AForkTakesOverWhatItDoesNotSay) {
  const std::string first = make({{"config", "entrypoint: [a]\ndescription: one"}});
  const std::string fork = make({{"config", "entrypoint: [b]"}, {"forkedFrom", first}});
  const Answer config = get("/api/v1/tasks/" + fork + "/config");
  EXPECT_EQ(json::parse(config.body()["config"].get<std::string>()),
            json({{"entrypoint", {"b"}}, {"description", "one"}}));
  EXPECT_EQ(get("/api/v1/tasks/" + fork).body().at("/task/forkedFrom"_json_pointer), first);
  EXPECT_EQ(post("/api/v1/generic-tasks", {{"config", ""}}).status, 400);
  EXPECT_EQ(post("/api/v1/generic-tasks", {{"config", "[1]"}}).status, 400);
  EXPECT_EQ(post("/api/v1/generic-tasks", {{"config", ""}, {"forkedFrom", "nothing"}}).status, 404);
}

TEST_F(Generic, FilesAreInheritedFromTheParent) {
  const std::string parent = make(
      {{"contextDirectory", json::array({{{"path", "a.txt"}, {"type", 48}, {"content", "aGk="}, {"mode", 420}}})}});
  const std::string child = make({{"parentId", parent}, {"inheritContext", true}});
  EXPECT_FALSE(must(tasks.find(parent))->context.sha256.empty());
  EXPECT_EQ(must(tasks.find(child))->context.sha256, must(tasks.find(parent))->context.sha256);
  EXPECT_EQ(post("/api/v1/generic-tasks", {{"config", "entrypoint: [a]"}, {"inheritContext", true}}).status, 400);
}

TEST_F(Generic, AForkTakesOverWhereAPodFetchesItsFiles) {
  const std::string first = make(json::object());
  const std::string source = R"({"git": {"url": "https://example.com/code.git"}})";
  must(contexts.put(sha256_hex(source), source));
  sql("UPDATE standalone_tasks SET context_kind = 'git', context_sha256 = '" + sha256_hex(source) + "'");
  const auto fork = must(tasks.find(make({{"config", ""}, {"forkedFrom", first}})));
  EXPECT_EQ(fork->context.kind, "git");
  EXPECT_EQ(fork->context.sha256, sha256_hex(source));
}

// Who may read a task may fork it, without the credentials that its object holds.
TEST_F(Generic, AForkOfSomebodyElsesHasNoneOfItsSecrets) {
  const std::string first = make(json::object());
  sql(R"(UPDATE standalone_tasks SET submitted =
         '{"entrypoint": ["a"], "environment": {"registry_auth": {"username": "u", "password": "hush"}}}')");
  token = somebody_else();
  const auto fork = must(tasks.find(make({{"config", ""}, {"forkedFrom", first}})));
  EXPECT_EQ(fork->config.dump().find("hush"), std::string::npos);
  EXPECT_EQ(fork->submitted.dump().find("hush"), std::string::npos);
  EXPECT_EQ(get("/api/v1/tasks/" + first + "/config").text.find("hush"), std::string::npos);
}

TEST_F(Generic, PausesThoseBelowThatSayTheyMayPause) {
  const std::string root = make(json::object());
  const std::string willing = make({{"parentId", root}, {"noPause", false}});
  const std::string silent = make({{"parentId", root}});
  const std::string grandchild = make({{"parentId", silent}, {"noPause", false}});
  EXPECT_EQ(post("/api/v1/tasks/" + root + "/pause").status, 200);
  EXPECT_TRUE(is_suspended(root));
  EXPECT_TRUE(is_suspended(willing));
  EXPECT_FALSE(is_suspended(silent));
  EXPECT_TRUE(is_suspended(grandchild));
  EXPECT_EQ(post("/api/v1/tasks/" + root + "/unpause").status, 200);
  for (const std::string& id : {root, willing, grandchild}) EXPECT_FALSE(is_suspended(id));
  const Answer again = post("/api/v1/tasks/" + root + "/unpause");
  EXPECT_NE(again.text.find("cannot unpause task " + root + " as it is not in paused state"), std::string::npos);
  const std::string firm = make({{"noPause", true}});
  EXPECT_NE(post("/api/v1/tasks/" + firm + "/pause").text.find("with `no_pause` set to true"), std::string::npos);
}

TEST_F(Generic, KillTakesThoseBelowAndTheWholeFamilyFromTheRoot) {
  const std::string root = make(json::object());
  const std::string child = make({{"parentId", root}});
  const std::string leaf = make({{"parentId", child}});
  const auto is_stopped = [&](const std::string& id) {
    return object_named(must(tasks.find(id))->name).at("spec").contains("stop");
  };
  EXPECT_EQ(post("/api/v1/tasks/" + child + "/kill", json::object()).status, 200);
  EXPECT_TRUE(is_stopped(leaf));
  EXPECT_FALSE(is_stopped(root));
  EXPECT_EQ(post("/api/v1/tasks/" + leaf + "/kill", {{"killFromRoot", true}}).status, 200);
  EXPECT_TRUE(is_stopped(root));
}

// Else who is let in below a task could end it, or be ended with it.
TEST_F(Generic, OnlyTheOwnerStartsTasksBelow) {
  const std::string root = make(json::object());
  token = somebody_else();
  EXPECT_EQ(post("/api/v1/generic-tasks", {{"config", "entrypoint: [a]"}, {"parentId", root}}).status, 403);
  EXPECT_EQ(post("/api/v1/tasks/" + root + "/pause").status, 403);
  EXPECT_EQ(post("/api/v1/tasks/" + root + "/kill", json::object()).status, 403);
  const std::string fork = make({{"config", ""}, {"forkedFrom", root}});
  EXPECT_FALSE(fork.empty()) << "what one may read, one may take as a pattern";
}

}  // namespace
}  // namespace det::api
