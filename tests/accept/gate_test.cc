// The one gate, over a database of its own and a Kubernetes API in memory: what passes, and what is said otherwise.

#include "accept/gate.h"

#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accept/model_code.h"
#include "tests/store/fixture.h"
#include "tests/support/fake_api_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/faulty_transport.h"

namespace det::accept {
namespace {

using nlohmann::json;

constexpr const char* kPods = "POST /api/v1/namespaces/team/pods";

struct GateTest : store::StoreTest {
  ~GateTest() override { workers.join(); }

  static json config() {
    return {{"name", "const"},
            {"entrypoint", "python3 train.py"},
            {"searcher", {{"name", "single"}, {"metric", "loss"}}},
            {"checkpoint_storage", {{"type", "s3"}, {"bucket", "b"}}}};
  }
  static Submission submission(json over = json::object()) {
    json whole = config();
    whole.merge_patch(over);
    return {.ns = "team", .config = std::move(whole), .project = {}, .context = nullptr, .code = {}};
  }
  static pods::PodSettings settings() {
    pods::PodSettings made;
    made.task_url = "http://det:8080";
    made.harness_config_map = "det-harness";
    return made;
  }
  Result<Verdict> ask(Submission asked) {
    pods::PodSettings asking = settings();
    asking.master.scheduler.type = scheduler;
    return run(gate.accept(std::move(asking), std::move(asked)));
  }
  Accepted accepted(Submission asked) {
    auto verdict = ask(std::move(asked));
    DET_CHECK(verdict.has_value(), "the gate could find out");
    if (const auto* refused = std::get_if<Objection>(&*verdict)) {
      ADD_FAILURE() << join_errors(refused->errors, "<submission>");
    }
    return std::get<Accepted>(std::move(*verdict));
  }
  Objection refused(Submission asked) {
    auto verdict = ask(std::move(asked));
    DET_CHECK(verdict.has_value(), "the gate could find out");
    EXPECT_TRUE(std::holds_alternative<Objection>(*verdict)) << "it was accepted";
    Objection objection = std::get<Objection>(std::move(*verdict));
    EXPECT_FALSE(objection.errors.empty());
    return objection;
  }
  void answer_pods_with(int status, const std::string& reason) {
    const json body = {{"kind", "Status"},
                       {"status", "Failure"},
                       {"reason", reason},
                       {"code", status},
                       {"message", "pods \"x\" is forbidden: exceeded quota"}};
    HttpResponse answer{.status = status, .headers = {{"content-type", "application/json"}}, .body = body.dump()};
    transport.answer_next(kPods, std::move(answer));
  }

  model::GangBackendKind scheduler = model::GangBackendKind::kOwn;
  test::FakeClock clock{io};
  test::FakeApiServer api{io.get_executor(), clock};
  test::FaultyTransport transport{api, io.get_executor(), clock};
  k8s::Client client{transport, transport, api.config(), clock, "test"};
  store::ConfigPolicyStore policies{pool};
  store::PoolBindingStore pool_bindings{pool};
  asio::thread_pool workers{1};
  Gate gate{client, clock,
            GateStores{.templates = templates,
                       .workspaces = workspaces,
                       .config_policies = policies,
                       .pool_bindings = pool_bindings,
                       .checkpoints = checkpoints,
                       .contexts = contexts,
                       .experiments = experiments,
                       .trials = trials,
                       .webhooks = webhooks},
            &workers};
};

TEST_F(GateTest, CompletesWhatPasses) {
  const Accepted done = accepted(submission());
  EXPECT_EQ(done.config.document["resources"]["slots_per_trial"], 1);
  EXPECT_EQ(done.config.document["max_restarts"], 5);
  EXPECT_EQ(done.project, store::NewExperiment().project);
  EXPECT_EQ(done.code, store::ContextRef());
  EXPECT_FALSE(done.pod_refused);
}

TEST_F(GateTest, TellsThatTheSchedulerDoesNotKnowThePriority) {
  using Kind = model::GangBackendKind;
  const json urgent = {{"resources", {{"priority", 70}}}};
  for (const Kind kind : {Kind::kOwn, Kind::kAuto}) {
    scheduler = kind;
    EXPECT_THAT(accepted(submission(urgent)).config.warnings, testing::IsEmpty());
  }
  scheduler = Kind::kNative;
  EXPECT_THAT(accepted(submission()).config.warnings, testing::IsEmpty());
  EXPECT_THAT(accepted(submission(urgent)).config.warnings,
              testing::ElementsAre(testing::AllOf(
                  testing::StartsWith("resources.priority has no effect here: with scheduler.type native "),
                  testing::HasSubstr("priorityClassName"))));
}

TEST_F(GateTest, FindsEverythingWrongWithAConfigurationAtOnce) {
  const Objection wrong = refused(submission({{"max_restarts", "many"}, {"searcher", {{"max_trails", 3}}}}));
  EXPECT_EQ(wrong.reason, RefusalReason::kInvalidConfig);
  EXPECT_EQ(wrong.part, Part::kConfig);
  EXPECT_FALSE(wrong.may_pass);
  EXPECT_EQ(wrong.errors.size(), 2U) << join_errors(wrong.errors, "");
}

TEST_F(GateTest, WaitsForAPoolThatIsNotThere) {
  const Objection wrong = refused(submission({{"resources", {{"resource_pool", "gpus"}}}}));
  EXPECT_EQ(wrong.reason, RefusalReason::kResourcePoolNotFound);
  EXPECT_TRUE(wrong.may_pass);
  EXPECT_EQ(wrong.errors[0].field, "resources.resource_pool");
}

TEST_F(GateTest, WaitsForAPoolThatIsKeptForAnotherWorkspace) {
  const model::WorkspaceId other =
      must(workspaces.create({.name = "other", .owner = {1}, .agent = {}, .defaults = {}}));
  must(pool_bindings.bind("default", {.ids = {other}, .names = {}}));
  const Objection wrong = refused(submission());
  EXPECT_EQ(wrong.reason, RefusalReason::kResourcePoolNotFound);
  EXPECT_TRUE(wrong.may_pass);
  EXPECT_THAT(wrong.errors[0].message,
              testing::HasSubstr(
                  "resource pool default does not exist or is not available to workspace ID 1; it is kept for "));
  must(pool_bindings.bind("default", {.ids = {{1}}, .names = {}}));
  EXPECT_EQ(accepted(submission()).project, store::NewExperiment().project);
}

TEST_F(GateTest, WaitsForATemplateAndLaysTheConfigurationOverIt) {
  Submission asked = submission();
  asked.template_name = "base";
  const Objection missing = refused(asked);
  EXPECT_EQ(missing.reason, RefusalReason::kTemplateNotFound);
  EXPECT_TRUE(missing.may_pass);
  EXPECT_EQ(missing.remedy, "create it with `det template create`");
  must(templates.create(
      {.name = "base", .config = {{"max_restarts", 7}, {"name", "of the template"}}, .workspace = {1}, .owner = {}}));
  const Accepted done = accepted(asked);
  EXPECT_EQ(done.config.document["max_restarts"], 7);
  EXPECT_EQ(done.config.document["name"], "const");
}

TEST_F(GateTest, WaitsForTheProjectThatTheConfigurationNames) {
  const Objection missing = refused(submission({{"workspace", "Nowhere"}, {"project", "Nothing"}}));
  EXPECT_EQ(missing.reason, RefusalReason::kProjectNotFound);
  EXPECT_TRUE(missing.may_pass);
  EXPECT_EQ(accepted(submission({{"workspace", "Uncategorized"}, {"project", "Uncategorized"}})).project,
            store::NewExperiment().project);
}

TEST_F(GateTest, WaitsForAnArchivedProjectAndTakesWhatItsWorkspaceSays) {
  const auto team = must(workspaces.create(
      {.name = "team",
       .owner = {2},
       .agent = {},
       .defaults = {.compute_pool = {}, .aux_pool = {}, .checkpoint_storage = {{"type", "s3"}, {"bucket", "teams"}}}}));
  const auto ships =
      must(projects.create({.workspace = team, .name = "ships", .description = {}, .key = {}, .owner = {2}}));
  Submission asked = submission({{"workspace", "team"}, {"project", "ships"}});
  EXPECT_EQ(accepted(asked).config.document["checkpoint_storage"]["bucket"], "b");
  asked.config.erase("checkpoint_storage");
  const Accepted done = accepted(asked);
  EXPECT_EQ(done.project, ships);
  EXPECT_EQ(done.config.document["checkpoint_storage"]["bucket"], "teams");
  must(projects.set_archived(ships, true));
  const Objection closed = refused(asked);
  EXPECT_EQ(closed.reason, RefusalReason::kProjectArchived);
  EXPECT_TRUE(closed.may_pass);
  EXPECT_EQ(closed.errors[0].message, "project is archived and cannot add new experiments");
}

TEST_F(GateTest, TakesTheNamespaceThatTheWorkspaceIsBoundTo) {
  const auto team = must(workspaces.create({.name = "team", .owner = {2}, .agent = {}, .defaults = {.ns = "theirs"}}));
  must(projects.create({.workspace = team, .name = "ships", .description = {}, .key = {}, .owner = {2}}));
  Submission asked = submission({{"workspace", "team"}, {"project", "ships"}});
  EXPECT_EQ(accepted(asked).ns, "team") << "an object of kubectl's stays where it is";
  asked.by_server = true;
  EXPECT_EQ(accepted(asked).ns, "theirs");
  asked.is_unmanaged = true;
  EXPECT_EQ(accepted(asked).ns, "team") << "it has no pods";
  Submission elsewhere = submission();
  elsewhere.by_server = true;
  EXPECT_EQ(accepted(elsewhere).ns, "team");
  pods::PodSettings few = settings();
  few.master.task_namespaces = {"team"};
  asked.is_unmanaged = false;
  const auto closed = run(gate.accept(few, asked));
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(run(gate.accept(few, elsewhere)));
}

TEST_F(GateTest, GivesAWorkspacesCredentialsToItsOwnNamespaceOnly) {
  const auto team = must(workspaces.create(
      {.name = "team",
       .owner = {2},
       .agent = {},
       .defaults = {
           .checkpoint_storage = {{"type", "s3"}, {"bucket", "teams"}, {"access_key", "a"}, {"secret_key", "s"}},
           .ns = "theirs"}}));
  must(projects.create({.workspace = team, .name = "ships", .description = {}, .key = {}, .owner = {2}}));
  Submission asked = submission({{"workspace", "team"}, {"project", "ships"}});
  const Objection foreign = refused(asked);
  EXPECT_EQ(foreign.errors[0].field, "workspace");
  EXPECT_NE(foreign.errors[0].message.find("create the Experiment there"), std::string::npos);
  asked.ns = "theirs";
  EXPECT_EQ(accepted(asked).ns, "theirs");
  asked.ns = "team";
  asked.by_server = true;
  EXPECT_EQ(accepted(asked).ns, "theirs") << "its roles were looked at";
}

// Whoever owns a workspace need not be an administrator.
TEST_F(GateTest, LetsAWorkspacesStorageUseOfTheNodesWhatPeopleMay) {
  const auto team = must(workspaces.create(
      {.name = "team",
       .owner = {2},
       .agent = {},
       .defaults = {
           .compute_pool = {}, .aux_pool = {}, .checkpoint_storage = {{"type", "shared_fs"}, {"host_path", "/etc"}}}}));
  must(projects.create({.workspace = team, .name = "ships", .description = {}, .key = {}, .owner = {2}}));
  Submission own = submission();
  own.config["checkpoint_storage"] = {{"type", "shared_fs"}, {"host_path", "/etc"}};
  const Objection refused_own = refused(own);
  Submission asked = submission({{"workspace", "team"}, {"project", "ships"}});
  asked.config.erase("checkpoint_storage");
  EXPECT_EQ(refused(asked).errors[0].message, refused_own.errors[0].message);
}

TEST_F(GateTest, RefusesFoldersThatThisMachineDoesNotHave) {
  pods::PodSettings here = settings();
  here.master.pods_run_here = true;
  here.master.pod_policies.cluster = {{"host_paths", {"/"}}};
  const auto ask_here = [&](const json& more) {
    Submission asked = submission(more);
    auto verdict = run(gate.accept(here, std::move(asked)));
    DET_CHECK(verdict.has_value(), "the gate could find out");
    const auto* objection = std::get_if<Objection>(&*verdict);
    return objection == nullptr ? std::string() : join_errors(objection->errors);
  };
  EXPECT_EQ(
      ask_here(
          {{"checkpoint_storage", {{"type", "shared_fs"}, {"bucket", nullptr}, {"host_path", "/nowhere/checkpoints"}}},
           {"bind_mounts", {{{"host_path", "/nowhere/data"}, {"container_path", "/data"}}}}}),
      "<config>.bind_mounts[0].host_path: \"/nowhere/data\" does not exist on this machine; make it with mkdir -p, "
      "or name one that does\n"
      "<config>.checkpoint_storage.host_path: \"/nowhere/checkpoints\" does not exist on this machine; make it with "
      "mkdir -p, or name one that does");
  EXPECT_FALSE(std::filesystem::exists("/nowhere"));
  EXPECT_EQ(ask_here({{"checkpoint_storage", {{"type", "shared_fs"}, {"bucket", nullptr}, {"host_path", "/tmp"}}}}),
            "");
}

TEST_F(GateTest, KeepsToWhatAdministratorsFixedAndLimited) {
  must(policies.put({}, model::WorkloadType::kExperiment,
                    {{"invariant_config", {{"max_restarts", 1}}}, {"constraints", {{"resources", {{"max_slots", 2}}}}}},
                    {1}));
  EXPECT_EQ(accepted(submission({{"max_restarts", 9}})).config.document["max_restarts"], 1);
  const Objection over = refused(submission({{"resources", {{"slots_per_trial", 4}}}}));
  EXPECT_EQ(over.reason, RefusalReason::kConfigPolicy);
}

TEST_F(GateTest, FindsASearchThatCannotRun) {
  const Objection wrong =
      refused(submission({{"searcher", {{"name", "grid"}}},
                          {"hyperparameters", {{"lr", {{"type", "double"}, {"minval", 0}, {"maxval", 1}}}}}}));
  EXPECT_EQ(wrong.reason, RefusalReason::kInvalidConfig);
}

TEST_F(GateTest, FindsAWarmStartWithoutItsCheckpoint) {
  const Objection wrong = refused(submission({{"searcher", {{"source_trial_id", 77}}}}));
  EXPECT_EQ(wrong.reason, RefusalReason::kInvalidConfig);
  EXPECT_NE(wrong.errors[0].message.find("77"), std::string::npos) << wrong.errors[0].message;
}

TEST_F(GateTest, WaitsForAConfigMapAndKeepsItsFiles) {
  Submission asked = submission();
  asked.context = {{"configMap", {{"name", "code"}}}};
  const Objection missing = refused(asked);
  EXPECT_EQ(missing.reason, RefusalReason::kContextNotFound);
  EXPECT_EQ(missing.part, Part::kContext);
  EXPECT_EQ(missing.errors[0].field, "configMap.name");
  EXPECT_TRUE(missing.may_pass);
  api.create(k8s::config_maps(), {{"apiVersion", "v1"},
                                  {"kind", "ConfigMap"},
                                  {"metadata", {{"name", "code"}, {"namespace", "team"}}},
                                  {"data", {{"train.py", "print(1)"}}}});
  const store::ContextRef code = accepted(asked).code;
  EXPECT_EQ(code.kind, "configMap");
  EXPECT_TRUE(must(contexts.get(code.sha256)));
  asked.context["configMap"]["items"] = {{"model.py", "model.py"}};
  EXPECT_EQ(refused(asked).errors[0].field, "configMap.items");
}

TEST_F(GateTest, SaysWhichKindsOfCodeThereAre) {
  Submission asked = submission();
  asked.context = {{"s3", {{"bucket", "b"}}}};
  EXPECT_EQ(refused(asked).reason, RefusalReason::kContextNotSupported);
  asked.context = {{"archive", "%%%"}};
  EXPECT_EQ(refused(asked).reason, RefusalReason::kInvalidContext);
  asked.context = {{"stored", {{"sha256", std::string(64, 'a')}}}};
  EXPECT_EQ(refused(asked).reason, RefusalReason::kContextNotFound);
}

TEST_F(GateTest, KeepsWhereThePodFetchesItsCodeFrom) {
  Submission asked = submission();
  asked.context = {{"git", {{"url", "https://example.com/a"}}}};
  const store::ContextRef code = accepted(asked).code;
  EXPECT_EQ(code.kind, "git");
  EXPECT_EQ(must(load_code_source(contexts, code)), asked.context);
  EXPECT_EQ(accepted(asked).code, code);
}

TEST_F(GateTest, TellsWhatTheApiServerSaysOfThePod) {
  answer_pods_with(422, "Invalid");
  const Objection wrong = refused(submission());
  EXPECT_EQ(wrong.reason, RefusalReason::kPodRejected);
  EXPECT_EQ(wrong.part, Part::kPod);
  EXPECT_FALSE(wrong.may_pass);
  EXPECT_NE(wrong.errors[0].message.find("exceeded quota"), std::string::npos);
}

TEST_F(GateTest, AcceptsWhatAQuotaRefusesForNow) {
  answer_pods_with(403, "Forbidden");
  const Accepted later = accepted(submission());
  ASSERT_TRUE(later.pod_refused);
  EXPECT_TRUE(later.pod_refused->may_pass);
  EXPECT_FALSE(accepted(submission()).pod_refused);
}

TEST_F(GateTest, AsksOnceAMinuteAboutAlikePods) {
  accepted(submission({{"name", "first"}}));
  answer_pods_with(422, "Invalid");
  accepted(submission({{"name", "second"}, {"hyperparameters", {{"lr", 1}}}}));
  EXPECT_EQ(transport.unused_faults(), 1U);
  EXPECT_EQ(refused(submission({{"environment", {{"image", "another"}}}})).reason, RefusalReason::kPodRejected);
  answer_pods_with(422, "Invalid");
  clock.advance(std::chrono::seconds(61));
  EXPECT_EQ(refused(submission({{"name", "third"}})).reason, RefusalReason::kPodRejected);
  EXPECT_TRUE(api.all(k8s::pods()).empty());
}

TEST_F(GateTest, SaysThatItCouldNotFindOut) {
  answer_pods_with(500, "InternalError");
  EXPECT_FALSE(ask(submission()));
}

TEST_F(GateTest, GoesOnWithWhatWasFrozen) {
  const Accepted first = accepted(submission({{"max_restarts", 2}}));
  Submission again{.ns = "team",
                   .config = {{"max_restarts", 4}},
                   .frozen = first.config.document,
                   .template_name = {},
                   .project = first.project,
                   .context = nullptr,
                   .code = first.code};
  const Accepted second = accepted(again);
  EXPECT_EQ(second.config.document["max_restarts"], 4);
  json expected = first.config.document;
  expected["max_restarts"] = 4;
  EXPECT_EQ(second.config.document, expected);
  again.config = {{"max_restarts", "many"}};
  EXPECT_EQ(refused(again).reason, RefusalReason::kInvalidConfig);
  again.config = {{"resources", {{"resource_pool", "nowhere"}}}};
  EXPECT_EQ(refused(again).reason, RefusalReason::kResourcePoolNotFound);
}

TEST_F(GateTest, RefusesAConfigurationThatNoProgramCouldBeStartedWith) {
  const Objection wrong = refused(submission({{"data", {{"list", std::string(200'000, 'x')}}}}));
  EXPECT_EQ(wrong.reason, RefusalReason::kInvalidConfig);
  EXPECT_THAT(wrong.errors.front().message, testing::HasSubstr("up to 131049 work"));
}

}  // namespace
}  // namespace det::accept
