#include "model/cluster/task_namespaces.h"

#include <functional>
#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "base/json_get.h"
#include "operator/operator.h"
#include "pods/names.h"
#include "store/logs/log_writer.h"
#include "tests/store/fixture.h"
#include "tests/support/background.h"
#include "tests/support/fake_api_server.h"

namespace det::op {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

// The rights of the chart's roles: reads everywhere, writes in namespaces that were granted, and the status of
// Experiments everywhere.
class Rights final : public HttpTransport {
 public:
  explicit Rights(test::FakeApiServer& api) : api_(api) {}

  std::set<std::string> granted;
  std::vector<std::string> refused;

  Task<Result<HttpResponse>> send(HttpRequest request) override {
    if (may(request)) co_return co_await api_.send(std::move(request));
    refused.push_back(request.method + " " + request.url);
    const json body = {{"kind", "Status"}, {"reason", "Forbidden"}, {"code", 403}, {"message", "forbidden"}};
    co_return HttpResponse{.status = 403, .headers = {}, .body = body.dump()};
  }
  Task<Result<HttpResponse>> stream(HttpRequest request, BodySink sink) override {
    co_return co_await api_.stream(std::move(request), std::move(sink));
  }

 private:
  [[nodiscard]] bool may(const HttpRequest& request) const {
    constexpr std::string_view kIn = "/namespaces/";
    const auto at = request.url.find(kIn);
    const bool is_experiment = request.url.contains("/experiments/");
    if (at == std::string::npos || (request.method == "GET" && is_experiment)) return true;
    if (is_experiment && request.method == "PATCH" && request.url.contains("/status")) return true;
    const auto begin = at + kIn.size();
    const bool is_namespace = request.url.find('/', begin) == std::string::npos;
    if (is_namespace && request.method == "GET") return true;
    return granted.contains(request.url.substr(begin, request.url.find('/', begin) - begin));
  }

  test::FakeApiServer& api_;
};

struct TaskNamespaces : store::StoreTest {
  TaskNamespaces() {
    settings.task_url = "http://det:8080";
    settings.cluster_id = "c";
    settings.harness_config_map = "det-harness";
    settings.controller_class = "det-operator";
    settings.master = model::read_master_config({{"scheduler", {{"type", "kube-scheduler"}}}}).value().config;
    // As the API server keeps it.
    api.admit_with([](const std::string& collection, json& object) {
      if (collection != "v1/secrets") return;
      for (const auto& [name, text] : object["stringData"].items())
        object["data"][name] = base64_encode(text.get<std::string>());
    });
  }

  // A new leader, as after a restart with another list.
  void lead_with(std::vector<std::string> enabled) {
    background.stop();
    rights.refused.clear();
    rights.granted = {enabled.begin(), enabled.end()};
    rights.granted.insert("home");
    settings.master.task_namespaces = std::move(enabled);
    leader = std::make_unique<Operator>(io.get_executor(), client, clock, stores, gate, settings, options);
    background.start(leader->lead());
  }
  void create(const std::string& ns, const std::string& deletion_policy = "Keep") {
    const json config = {{"name", ns},
                         {"entrypoint", "python3 train.py"},
                         {"resources", {{"slots_per_trial", 1}}},
                         {"searcher", {{"name", "single"}, {"metric", "loss"}}}};
    api.create(k8s::experiments(), {{"apiVersion", "det-operator.dev/v1alpha1"},
                                    {"kind", "Experiment"},
                                    {"metadata", {{"name", "one"}, {"namespace", ns}}},
                                    {"spec", {{"config", config}, {"deletionPolicy", deletion_policy}}}});
  }
  // As `kubectl delete namespace` does it: the operator's rights there are gone before what a finalizer holds.
  void take_rights_and_objects(const std::string& ns) {
    rights.granted.erase(ns);
    for (const auto& resource : {k8s::trials(), k8s::pods(), k8s::secrets()}) {
      for (const json& each : api.all(resource, ns)) {
        api.erase(resource, {.ns = ns, .name = each["metadata"]["name"].get<std::string>()});
      }
    }
    api.create(k8s::namespaces(), {{"metadata", {{"name", ns}, {"finalizers", {"kubernetes"}}}}});
    api.ask_to_delete(k8s::namespaces(), {.ns = {}, .name = ns});
    api.ask_to_delete(k8s::experiments(), {.ns = ns, .name = "one"});
  }
  // What administrators are told of objects that only our finalizer holds.
  [[nodiscard]] std::string told_of_held() const {
    for (const json& event : api.all(k8s::core_events(), "home")) {
      if (event.at("reason") == "HistoryHeld") return event.at("message").get<std::string>();
    }
    return {};
  }
  [[nodiscard]] json condition(const std::string& ns, const std::string& type) const {
    const json found = api.find(k8s::experiments(), {.ns = ns, .name = "one"});
    for (const json& each : get_array(get_any(found, "status"), "conditions")) {
      if (each.at("type") == type) return each;
    }
    return nullptr;
  }
  [[nodiscard]] bool is(const std::string& ns, const std::string& type, const std::string& status) const {
    const json found = condition(ns, type);
    return !found.is_null() && found.at("status") == status;
  }
  [[nodiscard]] std::size_t pods(const std::string& ns) const { return api.all(k8s::pods(), ns).size(); }
  void until(const std::function<bool()>& claim) { test::run_until(io, claim); }

  SystemClock clock;
  test::FakeApiServer api{io.get_executor(), clock};
  Rights rights{api};
  k8s::Client client{rights, rights, api.config(), clock, "test"};
  store::ConfigPolicyStore config_policies{pool};
  store::LogRetentionStore log_retention{pool};
  store::QueuePlaceStore queue_places{pool};
  store::PoolBindingStore pool_bindings{pool};
  store::LogWriter log_writer{io.get_executor(), {.url = url}};
  OperatorStores stores{.cluster = cluster,
                        .users = users,
                        .contexts = contexts,
                        .experiments = experiments,
                        .trials = trials,
                        .allocations = allocations,
                        .checkpoints = checkpoints,
                        .searcher = searcher,
                        .logs = log_writer,
                        .templates = templates,
                        .config_policies = config_policies,
                        .workspaces = workspaces,
                        .tasks = tasks,
                        .services = services,
                        .removals = removals,
                        .log_retention = log_retention,
                        .unmanaged = unmanaged,
                        .queue_places = queue_places};
  accept::Gate gate{client, clock,
                    accept::GateStores{.templates = templates,
                                       .workspaces = workspaces,
                                       .config_policies = config_policies,
                                       .pool_bindings = pool_bindings,
                                       .checkpoints = checkpoints,
                                       .contexts = contexts,
                                       .experiments = experiments,
                                       .trials = trials,
                                       .webhooks = webhooks},
                    nullptr};
  pods::PodSettings settings;
  OperatorOptions options{.ns = {}, .controller_class = "det-operator", .home_ns = "home"};
  std::unique_ptr<Operator> leader;
  test::Background background{io};
};

TEST_F(TaskNamespaces, ElsewhereAnExperimentSaysWhatToSetAndIsTakenOnceThatIsDone) {
  create("tasks");
  create("research");
  lead_with({"tasks"});
  until([this] { return pods("tasks") == 1 && is("research", "Accepted", "Unknown"); });
  const json said = condition("research", "Accepted");
  EXPECT_EQ(said.at("reason"), "NamespaceNotEnabled");
  EXPECT_THAT(said.at("message").get<std::string>(), HasSubstr("do not run in namespace research"));
  EXPECT_THAT(said.at("message").get<std::string>(), HasSubstr("taskNamespaces of the Helm chart: add research"));
  EXPECT_EQ(pods("research"), 0U);
  until([this] { return !api.all(k8s::core_events(), "home").empty(); });
  EXPECT_EQ(api.all(k8s::core_events(), "home").front().at("reason"), "NamespaceNotEnabled");
  EXPECT_THAT(rights.refused, IsEmpty()) << "nothing was tried that it has no right to";

  lead_with({"tasks", "research"});
  until([this] { return pods("research") == 1 && is("research", "Accepted", "True"); });
}

TEST_F(TaskNamespaces, AStoredExperimentOfANamespaceThatWasTakenOutWaitsAndGoesOn) {
  create("tasks");
  create("old");
  lead_with({"tasks", "old"});
  until([this] { return pods("tasks") == 1 && pods("old") == 1 && is("old", "Accepted", "True"); });

  lead_with({"tasks"});
  until([this] { return is("old", "Stalled", "True"); });
  EXPECT_EQ(condition("old", "Stalled").at("reason"), "NamespaceNotEnabled");
  EXPECT_TRUE(is("old", "Accepted", "True")) << "it stays accepted";
  // Its pod goes meanwhile, which elsewhere would end the run.
  api.erase(k8s::pods(), {.ns = "old", .name = api.all(k8s::pods(), "old").front()["metadata"]["name"]});
  create("another");
  until([this] { return is("another", "Accepted", "Unknown"); });
  EXPECT_THAT(rights.refused, IsEmpty());
  EXPECT_EQ(sql("SELECT count(*)::text FROM trials WHERE state = 'ACTIVE'"), "2") << "none is in ERROR";

  lead_with({"tasks", "old"});
  until([this] { return is("old", "Stalled", "False") && pods("old") == 1; });
}

// Nothing else would say why the namespace stays.
TEST_F(TaskNamespaces, OneThatIsBeingDeletedIsHeldByAnExperimentThatTakesItsHistoryAlongAndTheLeaseSaysSo) {
  create("tasks", "Delete");
  lead_with({"tasks"});
  until([this] { return pods("tasks") == 1 && is("tasks", "Accepted", "True"); });
  take_rights_and_objects("tasks");
  until([this] { return !told_of_held().empty(); });
  EXPECT_THAT(told_of_held(), HasSubstr("Experiment tasks/one is to be deleted with its history"));
  EXPECT_THAT(told_of_held(), HasSubstr("refused"));
  EXPECT_THAT(told_of_held(), HasSubstr("remove its finalizer " + std::string(pods::kFinalizer) + " by hand"));
  until([this] { return get_string(condition("tasks", "Stalled"), "reason") == "NamespaceTerminating"; });
  EXPECT_THAT(condition("tasks", "Stalled")["message"].get<std::string>(), HasSubstr("remove its finalizer"));
}

TEST_F(TaskNamespaces, OneThatIsBeingDeletedIsHeldByAnExperimentThatHasEndedToo) {
  create("tasks", "Delete");
  lead_with({"tasks"});
  until([this] { return pods("tasks") == 1 && is("tasks", "Accepted", "True"); });
  sql("UPDATE experiments SET state = 'COMPLETED', end_time = now() RETURNING id");
  take_rights_and_objects("tasks");
  until([this] { return !told_of_held().empty(); });
  EXPECT_THAT(told_of_held(), HasSubstr("set the finalizer of its history"));
}

TEST_F(TaskNamespaces, AreAllNamespacesWhereNoneIsNamed) {
  lead_with({});
  rights.granted = {"home", "anywhere"};
  create("anywhere");
  until([this] { return pods("anywhere") == 1; });
}

TEST(TaskNamespacesOfMasterYaml, AreReadAndAnEmptyListIsRefused) {
  const auto read = model::read_master_config({{"task_namespaces", {"a", "b"}}});
  ASSERT_TRUE(read.has_value());
  EXPECT_THAT(read->config.task_namespaces, testing::ElementsAre("a", "b"));
  EXPECT_THAT(read->warnings(), IsEmpty());
  EXPECT_FALSE(model::is_task_namespace(read->config.task_namespaces, "c"));
  EXPECT_TRUE(model::is_task_namespace({}, "c"));
  const auto empty = model::read_master_config({{"task_namespaces", json::array()}});
  ASSERT_FALSE(empty.has_value());
  EXPECT_THAT(empty.error().message, HasSubstr("task_namespaces"));
}

TEST_F(TaskNamespaces, AnUnmanagedExperimentNeedsNoObjectInAnyOfThem) {
  const auto old = [this](bool is_unmanaged) {
    store::NewExperiment row = experiment();
    row.is_unmanaged = is_unmanaged;
    const model::ExperimentId id = must(experiments.insert(row)).id;
    sql("UPDATE experiments SET start_time = now() - interval '1 hour' WHERE id = " + to_string(id) + " RETURNING id");
    return id;
  };
  const auto state = [this](model::ExperimentId id) { return must(experiments.find(id))->state; };
  const auto elsewhere = old(true);
  const auto orphan = old(false);  // the later one is looked at after it
  lead_with({"tasks"});
  until([&] { return state(orphan) == model::ExperimentState::kCanceled; });
  EXPECT_EQ(state(elsewhere), model::ExperimentState::kActive);
}

}  // namespace
}  // namespace det::op
