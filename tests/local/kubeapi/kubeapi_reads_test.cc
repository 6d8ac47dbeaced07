// Reads: lists, pages, tables, watches and what they are told when the history is gone; restarts; faults; the binder.

#include <algorithm>
#include <list>

#include <gtest/gtest.h>
#include <boost/asio/ip/tcp.hpp>

#include "k8sclient/config.h"
#include "local/kubeapi/kubeconfig_file.h"
#include "tests/local/kubeapi/kubeapi_fixture.h"
#include "tests/local/scratch.h"
#include "tests/support/background.h"
#include "tests/support/postgres.h"

namespace det::local::test {
namespace {

using nlohmann::json;

using Reads = KubeApi;

std::string version_of(const json& object) {
  return object["metadata"]["resourceVersion"];
}

TEST_F(Reads, APageContinuesTheListItBeganWith) {
  for (const char* name : {"a", "b", "c"}) made(kConfigMaps, config_map(name));
  const json first = get(std::string(kConfigMaps) + "?limit=2").body;
  EXPECT_EQ(first["items"].size(), 2U);
  EXPECT_EQ(first["metadata"]["remainingItemCount"], 1);
  made(kConfigMaps, config_map("aa"));
  call("DELETE", std::string(kConfigMaps) + "/c");
  const std::string next =
      std::string(kConfigMaps) + "?limit=2&continue=" + first["metadata"]["continue"].get<std::string>();
  const json second = get(next).body;
  ASSERT_EQ(second["items"].size(), 1U);
  EXPECT_EQ(second["items"][0]["metadata"]["name"], "c");
  EXPECT_EQ(version_of(second), version_of(first));
  host->api().compact();
  const Answer gone = get(next);
  EXPECT_EQ(gone.status, 410);
  EXPECT_EQ(gone.body["reason"], "Expired");
}

TEST_F(Reads, AVersionOfTheFutureIsRefused) {
  const Answer refused = get(std::string(kConfigMaps) + "?resourceVersion=999999");
  EXPECT_EQ(refused.status, 504);
  EXPECT_EQ(refused.body["details"]["retryAfterSeconds"], 1);
}

TEST_F(Reads, TablesHaveTheColumnsOfTheirKind) {
  const HttpHeaders table = {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}};
  made(kDefinitions, definition(json::parse(R"({"type":"object","properties":{"size":{"type":"integer"}}})")));
  made(kWidgets, {{"metadata", {{"name", "w"}}}, {"spec", {{"size", 7}}}});
  const json widgets = call("GET", kWidgets, nullptr, table).body;
  EXPECT_EQ(widgets["kind"], "Table");
  EXPECT_EQ(widgets["columnDefinitions"][1]["name"], "Size");
  EXPECT_EQ(widgets["rows"][0]["cells"], json::parse(R"(["w",7])"));
  EXPECT_EQ(widgets["rows"][0]["object"]["kind"], "PartialObjectMetadata");
  made(kPods, pod("p"));
  const json pods = call("GET", std::string(kPods) + "?includeObject=Object", nullptr, table).body;
  EXPECT_EQ(pods["rows"][0]["cells"][1], "0/1");
  EXPECT_EQ(pods["rows"][0]["object"]["kind"], "Pod");
  const auto lines = this->watch(std::string(kPods) + "?watch=1&timeoutSeconds=1", 9, table);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0]["object"]["kind"], "Table");
  EXPECT_FALSE(lines[0]["object"]["columnDefinitions"].empty());
}

TEST_F(Reads, DiscoveryAndSchemasCoverWhatIsServed) {
  made(kDefinitions, definition(json::parse(R"({"type":"object","properties":{"size":{"type":"integer"}}})")));
  EXPECT_EQ(get("/api").body["versions"], json::parse(R"(["v1"])"));
  EXPECT_TRUE(get("/apis").body.dump().contains("example.com/v1"));
  const json resources = get("/apis/example.com/v1").body["resources"];
  EXPECT_EQ(resources[0]["shortNames"], json::parse(R"(["wd"])"));
  EXPECT_EQ(resources[1]["name"], "widgets/status");
  const HttpHeaders aggregated = {
      {"Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"}};
  EXPECT_EQ(call("GET", "/apis", nullptr, aggregated).body["kind"], "APIGroupDiscoveryList");
  EXPECT_TRUE(get("/openapi/v3").body["paths"].contains("apis/example.com/v1"));
  const json document = get("/openapi/v3/apis/example.com/v1?hash=1").body;
  EXPECT_TRUE(document["components"]["schemas"]["example.com.v1.Widget"]["properties"].contains("spec"));
  EXPECT_EQ(get("/apis/nobody.example.com").status, 404);
}

TEST_F(Reads, AWatchWithASelectorTellsWhoBeginsAndCeasesToMatch) {
  const std::string from = version_of(get(kConfigMaps).body);
  made(kConfigMaps, config_map("a"));
  const std::string a = std::string(kConfigMaps) + "/a";
  merge(a, {{"metadata", {{"labels", {{"x", "1"}}}}}});
  merge(a, {{"data", {{"k", "w"}}}});
  const std::string left = version_of(merge(a, {{"metadata", {{"labels", {{"x", "2"}}}}}}).body);
  const auto lines = this->watch(std::string(kConfigMaps) + "?watch=1&labelSelector=x%3D1&resourceVersion=" + from, 3);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["type"], "ADDED");
  EXPECT_EQ(lines[1]["type"], "MODIFIED");
  EXPECT_EQ(lines[2]["type"], "DELETED");
  EXPECT_EQ(lines[2]["object"]["metadata"]["labels"]["x"], "1") << "the state the client knows";
  EXPECT_EQ(version_of(lines[2]["object"]), left);
}

TEST_F(Reads, AWatchFromBeforeACompactionIsToldSo) {
  const std::string from = version_of(get(kConfigMaps).body);
  made(kConfigMaps, config_map("a"));
  host->api().compact();
  const auto lines = this->watch(std::string(kConfigMaps) + "?watch=1&resourceVersion=" + from, 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["type"], "ERROR");
  EXPECT_EQ(lines[0]["object"]["code"], 410);
  EXPECT_TRUE(lines[0]["object"]["message"].get<std::string>().starts_with("too old resource version: " + from + " ("));
}

TEST_F(Reads, AWatchListEndsItsBeginningWithABookmark) {
  made(kConfigMaps, config_map("a"));
  const std::string path = std::string(kConfigMaps) + "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true";
  EXPECT_EQ(get(path).status, 422) << "resourceVersionMatch is needed";
  const auto lines = this->watch(path + "&resourceVersionMatch=NotOlderThan", 2);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["type"], "ADDED");
  EXPECT_EQ(lines[1]["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
}

class Bookmarks : public KubeApi {
 protected:
  Bookmarks() : KubeApi({.bookmark_interval = std::chrono::milliseconds(10)}) {}
};

TEST_F(Bookmarks, CarryTheVersionOfTheWholeServer) {
  const std::string from = version_of(get(kPods).body);
  const std::string now = version_of(made(kConfigMaps, config_map("a")));
  const auto lines = this->watch(std::string(kPods) + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + from, 1);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["type"], "BOOKMARK");
  EXPECT_EQ(version_of(lines[0]["object"]), now);
}

class ShortHistory : public KubeApi {
 protected:
  ShortHistory() : KubeApi({.history = 3}) {}
};

TEST_F(ShortHistory, AWatchResumesFromWhatIsKept) {
  std::string second;
  for (int i = 0; i < 5; ++i) {
    const std::string version = version_of(made(kConfigMaps, config_map("m" + std::to_string(i))));
    if (i == 1) second = version;
  }
  const auto kept = this->watch(std::string(kConfigMaps) + "?watch=1&resourceVersion=" + second, 3);
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0]["object"]["metadata"]["name"], "m2");
  const std::string before = std::to_string(std::stoull(second) - 1);
  EXPECT_EQ(this->watch(std::string(kConfigMaps) + "?watch=1&resourceVersion=" + before, 1)[0]["type"], "ERROR");
}

class SmallHistory : public KubeApi {
 protected:
  SmallHistory() : KubeApi({.history_bytes = 10'000}) {}
};

TEST_F(SmallHistory, LargeObjectsLeaveAShorterOne) {
  json large = config_map("large");
  large["data"]["k"] = std::string(4'000, 'x');
  std::vector<std::string> versions = {version_of(made(kConfigMaps, large))};
  for (int i = 0; i < 4; ++i) {
    const json patch = {{"data", {{"n", std::to_string(i)}}}};
    versions.push_back(version_of(merge(std::string(kConfigMaps) + "/large", patch).body));
  }
  const auto since = [&](const std::string& version) {
    return this->watch(std::string(kConfigMaps) + "?watch=1&timeoutSeconds=1&resourceVersion=" + version, 2);
  };
  EXPECT_EQ(since(versions[2]).size(), 2U) << "two of them are less than ten thousand bytes";
  EXPECT_EQ(since(versions[1]).at(0)["object"]["code"], 410);
}

TEST_F(Reads, EverythingSurvivesARestart) {
  made(kDefinitions, definition(json::parse(R"({"type":"object","properties":{"size":{"type":"integer"}}})")));
  const json widget = made(kWidgets, {{"metadata", {{"name", "w"}}}, {"spec", {{"size", 7}}}});
  made(kConfigMaps, config_map("deleted"));
  call("DELETE", std::string(kConfigMaps) + "/deleted");
  const std::string text = std::string("\x01 \xc3\xa4 \\u0000");
  json odd = config_map("odd");
  odd["data"]["k"] = text + std::string(1, '\0');
  made(kConfigMaps, odd);
  const auto version = host->api().version();
  const std::string url = host->database_url();
  host.reset();
  host.emplace(io, clock, EmbeddedApiOptions{.database_url = url});
  EXPECT_EQ(host->api().version(), version);
  EXPECT_EQ(get(std::string(kWidgets) + "/w").body, widget);
  EXPECT_EQ(get(std::string(kConfigMaps) + "/deleted").status, 404);
  EXPECT_EQ(get(std::string(kConfigMaps) + "/odd").body["data"]["k"], odd["data"]["k"]);
  EXPECT_GT(std::stoull(version_of(made(kConfigMaps, config_map("new")))), version);
  const std::string old = std::to_string(version - 1);
  EXPECT_EQ(this->watch(std::string(kConfigMaps) + "?watch=1&resourceVersion=" + old, 1)[0]["object"]["code"], 410);
}

TEST_F(Reads, ItsKubeconfigLeadsToItOverTlsAndOutlivesARestart) {
  const Scratch scratch;
  const std::string folder = scratch.path() + "/tls";
  const std::string url = host->database_url();
  host.reset();
  host.emplace(io, clock, EmbeddedApiOptions{.database_url = url, .certificate_folder = folder});
  const std::string certificate = read_text(folder + "/server.crt");
  ASSERT_TRUE(write_kubeconfig(scratch.path() + "/config", host->api().kubeconfig()));
  const auto config = k8s::Config::from_kubeconfig(scratch.path() + "/config", "", clock);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_TRUE((*config)->server().starts_with("https://127.0.0.1:"));
  k8s::Client client(transport, transport, *config, clock, "test");
  const auto found = det::test::run_task(io, client.get(k8s::namespaces(), {.ns = {}, .name = "default"}));
  EXPECT_TRUE(found) << found.error().message;
  host.reset();
  host.emplace(io, clock, EmbeddedApiOptions{.database_url = url, .certificate_folder = folder});
  EXPECT_EQ(read_text(folder + "/server.crt"), certificate);
}

// Pods share the machine's network. Idle strangers make room for newer ones; watches, which say little, are none.
TEST_F(Reads, AWatchOutlivesAnyNumberOfStrangers) {
  made(kConfigMaps, config_map("before"));
  std::string told;
  bool is_over = false;
  const auto follow = [&]() -> Task<void> {
    HttpRequest request;
    request.url = host->config()->server() + kConfigMaps + "?watch=1";
    request.headers = {{"Authorization", "Bearer " + host->config()->bearer_token()}};
    request.timeout = std::chrono::milliseconds::zero();
    (void)co_await transport.stream(std::move(request), [&](std::string_view bytes) {
      told += bytes;
      return true;
    });
    is_over = true;
  };
  det::test::Background following(io);
  following.start(follow());
  ASSERT_TRUE(eventually([&] { return told.contains("before"); }));
  const std::string server = host->config()->server();
  const int port = std::stoi(server.substr(server.rfind(':') + 1));
  std::list<asio::ip::tcp::socket> strangers;
  for (int i = 0; i < 400; ++i) {
    strangers.emplace_back(io).connect({asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port)});
    io.restart();
    io.poll();
  }
  made(kConfigMaps, config_map("after"));
  EXPECT_TRUE(eventually([&] { return told.contains("after") || is_over; }));
  EXPECT_FALSE(is_over);
  following.stop();
}

TEST_F(Reads, AnAddressThatOthersCanReachIsRefused) {
  EmbeddedApi open(io.get_executor(), clock,
                   {.database_url = host->database_url(), .address = "0.0.0.0", .token = "t"});
  const Status started = det::test::run_task(io, open.start());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(Reads, ADatabaseIsServedByOneProcess) {
  EmbeddedApi second(io.get_executor(), clock, {.database_url = host->database_url(), .token = "t"});
  const Status started = det::test::run_task(io, second.start());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(started.error().message.contains("another process serves")) << started.error().message;
}

TEST_F(Reads, WritesWaitForADatabaseThatIsAway) {
  det::test::PostgresServer postgres;
  host.reset();
  host.emplace(io, clock, EmbeddedApiOptions{.database_url = postgres.create_database()});
  made(kConfigMaps, config_map("before"));
  postgres.crash();
  std::optional<Answer> written;
  const auto write = [&]() -> Task<void> {
    HttpRequest request;
    request.method = "POST";
    request.url = host->config()->server() + kConfigMaps;
    request.headers = {{"Authorization", "Bearer " + host->config()->bearer_token()},
                       {"Content-Type", "application/json"}};
    request.body = config_map("during").dump();
    const auto response = co_await transport.send(std::move(request));
    written.emplace(Answer{.status = response ? response->status : 0, .body = {}, .headers = {}});
  };
  det::test::Background writing(io);
  writing.start(write());
  EXPECT_EQ(get(std::string(kConfigMaps) + "/before").status, 200) << "reads do not need it";
  EXPECT_EQ(get(std::string(kConfigMaps) + "/during").status, 404);
  EXPECT_FALSE(written);
  postgres.start();
  EXPECT_TRUE(eventually([&] { return written.has_value(); }));
  EXPECT_EQ(written->status, 201);
  EXPECT_EQ(get(std::string(kConfigMaps) + "/during").status, 200);
  writing.stop();
  host.reset();
}

class Faults : public KubeApi {
 protected:
  Faults()
      : KubeApi({.faults = [](const std::string&, const std::string& target) {
          if (target.contains("busy")) return ApiFault{.status = 429, .retry_after_seconds = 2};
          return ApiFault{.delay = std::chrono::milliseconds(target.contains("slow") ? 1 : 0)};
        }}) {}
};

TEST_F(Faults, AreMadeOnDemand) {
  const Answer busy = get(std::string(kConfigMaps) + "/busy");
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("retry-after"), "2");
  EXPECT_EQ(busy.body["reason"], "TooManyRequests");
  EXPECT_EQ(get(std::string(kConfigMaps) + "/slow").status, 404);
}

json condition_of(const json& pod) {
  // A pod that the binder has not looked at yet has none.
  for (const json& condition : pod.value("/status/conditions"_json_pointer, json::array())) {
    if (condition["type"] == "PodScheduled") return condition;
  }
  return json::object();
}

TEST_F(Reads, PodsAreBoundInTheOrderTheyCame) {
  made(kPods, pod("first", "3"));
  made(kPods, pod("second", "2"));
  made(kPods, pod("third", "1"));
  const auto state = [&](const char* name) { return get(std::string(kPods) + "/" + name).body; };
  EXPECT_TRUE(eventually(
      [&] { return condition_of(state("third")).value("message", "") == "no nodes available to schedule pods"; }));
  made("/api/v1/nodes", node("n", "4"));
  EXPECT_TRUE(eventually([&] { return state("third")["spec"].value("nodeName", "") == "n"; }));
  EXPECT_EQ(state("first")["spec"]["nodeName"], "n");
  EXPECT_EQ(condition_of(state("first"))["status"], "True");
  EXPECT_TRUE(eventually([&] {
    return condition_of(state("second")).value("message", "") == "0/1 nodes are available: 1 Insufficient cpu.";
  }));
  EXPECT_EQ(condition_of(state("second"))["reason"], "Unschedulable");
  call("DELETE", std::string(kPods) + "/first", {{"gracePeriodSeconds", 0}});
  EXPECT_TRUE(eventually([&] { return state("second")["spec"].value("nodeName", "") == "n"; }));
  const json events = get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dsecond").body["items"];
  ASSERT_FALSE(events.empty());
  EXPECT_TRUE(std::ranges::any_of(events, [](const json& event) { return event["reason"] == "FailedScheduling"; }));
}

TEST_F(Reads, AGatedPodWaitsForItsGates) {
  made("/api/v1/nodes", node("n"));
  json gated = pod("p");
  gated["spec"]["schedulingGates"] = {{{"name", "example.com/wait"}}};
  EXPECT_EQ(condition_of(made(kPods, gated))["reason"], "SchedulingGated");
  made(kPods, pod("q"));
  const auto node_of = [&](const char* name) {
    return get(std::string(kPods) + "/" + name).body["spec"].value("nodeName", "");
  };
  EXPECT_TRUE(eventually([&] { return node_of("q") == "n"; }));
  EXPECT_EQ(node_of("p"), "");
  const json patch = {{"spec", {{"schedulingGates", {{{"$patch", "delete"}, {"name", "example.com/wait"}}}}}}};
  EXPECT_EQ(
      call("PATCH", std::string(kPods) + "/p", patch, {{"Content-Type", "application/strategic-merge-patch+json"}})
          .status,
      200);
  EXPECT_TRUE(eventually([&] { return node_of("p") == "n"; }));
}

}  // namespace
}  // namespace det::local::test
