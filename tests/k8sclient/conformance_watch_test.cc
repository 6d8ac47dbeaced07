// Watches, informers, leader election and events, on the API server in memory and on a real one, with faults.

#include <gtest/gtest.h>

#include "base/json_get.h"
#include "k8sclient/client.h"
#include "k8sclient/event_recorder.h"
#include "k8sclient/informer.h"
#include "k8sclient/leader_elector.h"
#include "tests/support/api_under_test.h"
#include "tests/support/background.h"

namespace det::k8s {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ApiKind;
using test::ApiUnderTest;
using test::Background;

struct Value {
  std::string text;
  std::string uid;
};

Value project(const json& object) {
  return {.text = get_string(get_object(object, "data"), "value"),
          .uid = get_string(get_object(object, "metadata"), "uid")};
}

class WatchConformance : public testing::TestWithParam<ApiKind> {
 protected:
  void SetUp() override {
    if (!ApiUnderTest::is_available(GetParam())) GTEST_SKIP() << ApiUnderTest::kWhyNotAvailable;
    api.emplace(GetParam());
    // The real server puts a ConfigMap of its own into each namespace.
    const ReflectorOptions options{
        .resource = config_maps(), .ns = api->ns, .label_selector = "of=test", .field_selector = {}};
    informer.emplace(client(), api->clock, api->io.get_executor(), options, project);
    background.emplace(api->io);
  }
  void start_informer() {
    background->start(informer->run());
    ASSERT_TRUE(api->eventually([this] { return informer->synced(); }));
  }
  [[nodiscard]] Client& client() { return api->client; }
  [[nodiscard]] ObjectKey key(const std::string& name) const { return {.ns = api->ns, .name = name}; }
  void create(const std::string& name, const std::string& value = "1") {
    json object = {{"apiVersion", "v1"},
                   {"kind", "ConfigMap"},
                   {"metadata", {{"name", name}, {"labels", {{"of", "test"}}}}},
                   {"data", {{"value", value}}}};
    const auto created = api->run(client().create(config_maps(), api->ns, std::move(object), {}));
    ASSERT_TRUE(created) << created.error().message;
  }
  void set_value(const std::string& name, const std::string& value) {
    const auto set = api->run(client().patch(config_maps(), key(name), {{"data", {{"value", value}}}}, {}));
    ASSERT_TRUE(set) << set.error().message;
  }
  void remove(const std::string& name) { ASSERT_TRUE(api->run(client().remove(config_maps(), key(name), {}))); }
  [[nodiscard]] bool holds(const std::string& name, const std::string& value) const {
    const Value* const found = informer->find(key(name));
    return found != nullptr && found->text == value;
  }
  [[nodiscard]] std::string version_now() {
    ListOptions options;
    options.ns = api->ns;
    return api->run(client().list(config_maps(), options)).value_or(ListResult{}).resource_version;
  }
  // Watches from `options` until `count` events are there (and then ends the watch), or it ends by itself.
  std::optional<Status> watch(WatchOptions options, std::size_t count, const Resource& resource = config_maps()) {
    options.ns = api->ns;
    options.label_selector = "of=test";
    std::optional<Status> ended;
    auto task = [&]() -> Task<void> {
      std::function<void(WatchEvent)> keep = [&](WatchEvent event) { events.push_back(std::move(event)); };
      ended = co_await client().watch(resource, options, std::move(keep));
    };
    Background watching(api->io);
    watching.start(task());
    EXPECT_TRUE(api->eventually([&] { return events.size() >= count || ended; }));
    return ended;
  }

  // A custom resource that the server has only just learnt to serve.
  [[nodiscard]] Resource define_resource() {
    const Resource definitions = custom_resource_definitions();
    const Resource late{"conformance.determined.ai", "v1", "latecomers", "Latecomer"};
    definition_ = late.plural + "." + late.group;
    json spec = {{"group", late.group},
                 {"scope", "Namespaced"},
                 {"names", {{"plural", late.plural}, {"kind", late.kind}}},
                 {"versions",
                  {{{"name", late.version},
                    {"served", true},
                    {"storage", true},
                    {"schema", {{"openAPIV3Schema", {{"type", "object"}}}}}}}}};
    json object = {{"apiVersion", definitions.api_version()},
                   {"kind", definitions.kind},
                   {"metadata", {{"name", definition_}}},
                   {"spec", std::move(spec)}};
    EXPECT_TRUE(api->run(client().create(definitions, "", std::move(object), {})));
    ListOptions options;
    options.ns = api->ns;
    EXPECT_TRUE(api->eventually([&] { return api->run(client().list(late, options)).has_value(); }));
    return late;
  }
  void TearDown() override {
    if (api && !definition_.empty()) {
      EXPECT_TRUE(api->run(client().remove(custom_resource_definitions(), {.ns = {}, .name = definition_}, {})));
    }
  }

  std::string definition_;
  std::optional<ApiUnderTest> api;
  std::optional<Informer<Value>> informer;
  std::vector<WatchEvent> events;
  std::optional<Background> background;
};

INSTANTIATE_TEST_SUITE_P(Api, WatchConformance, testing::ValuesIn(test::conformance_kinds()),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(WatchConformance, TellsWhatHappenedSinceAVersion) {
  const std::string from = version_now();
  create("a");
  set_value("a", "2");
  remove("a");
  WatchOptions options;
  options.resource_version = from;
  watch(options, 3);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].type, WatchEvent::Type::kAdded);
  EXPECT_EQ(events[1].type, WatchEvent::Type::kModified);
  EXPECT_EQ(events[2].type, WatchEvent::Type::kDeleted);
  const auto version = [&](std::size_t i) {
    return get_string(get_object(events[i].object, "metadata"), "resourceVersion");
  };
  EXPECT_NE(version(1), version(2)) << "a deletion has a version of its own";
}

TEST_P(WatchConformance, BeginsWithWhatThereIsWhenAsked) {
  create("a");
  WatchOptions options;
  options.send_initial_events = true;
  watch(options, 2);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].type, WatchEvent::Type::kAdded);
  ASSERT_EQ(events[1].type, WatchEvent::Type::kBookmark);
  const json& annotations = get_object(get_object(events[1].object, "metadata"), "annotations");
  EXPECT_EQ(get_string(annotations, "k8s.io/initial-events-end"), "true");
}

// A server that is as old as the test still knows version 1 of what it was started with; what a custom resource was
// before its definition nobody can know.
TEST_P(WatchConformance, AnAncientVersionHasExpired) {
  const Resource late = define_resource();
  WatchOptions options;
  options.resource_version = "1";
  const auto ended = watch(options, 1, late);
  ASSERT_TRUE(ended && !*ended);
  EXPECT_EQ(ended->error().code, ErrorCode::kOutOfRange);
  EXPECT_TRUE(ended->error().message.contains("too old resource version: 1")) << ended->error().message;
}

TEST_P(WatchConformance, EndsWhenTheServerSaysSo) {
  WatchOptions options;
  options.resource_version = version_now();
  options.server_timeout = seconds(1);
  const auto ended = watch(options, 1000);
  ASSERT_TRUE(ended);
  EXPECT_TRUE(*ended) << ended->error().message;
}

TEST_P(WatchConformance, AnInformerFollowsEveryChange) {
  create("a");
  start_informer();
  EXPECT_TRUE(holds("a", "1"));
  create("b", "x");
  set_value("a", "2");
  EXPECT_TRUE(api->eventually([&] { return holds("a", "2") && holds("b", "x"); }));
  remove("a");
  EXPECT_TRUE(api->eventually([&] { return informer->find(key("a")) == nullptr; }));
  EXPECT_EQ(informer->size(), 1U);
}

TEST_P(WatchConformance, AnInformerLosesNothingOverCutWatches) {
  start_informer();
  for (int round = 0; round < 4; ++round) {
    api->watches.cut_streams();
    create("m" + std::to_string(round), "old");
    set_value("m" + std::to_string(round), "new");
    EXPECT_TRUE(api->eventually([&] { return holds("m" + std::to_string(round), "new"); })) << round;
  }
  EXPECT_EQ(informer->reflector().relists(), 0U) << "a cut watch is resumed, not listed again";
}

TEST_P(WatchConformance, AnInformerLosesNothingWhenAWatchIsCutInsideALine) {
  start_informer();
  api->watches.cut_stream_after("watch=1", 900);
  api->watches.cut_streams();
  for (int i = 0; i < 10; ++i) create("m" + std::to_string(i));
  EXPECT_TRUE(api->eventually([&] { return informer->size() == 10; }));
  EXPECT_EQ(api->watches.unused_faults(), 0U);
  EXPECT_EQ(informer->reflector().relists(), 0U);
}

TEST_P(WatchConformance, AnInformerListsAgainAfterA410) {
  create("stays");
  create("goes");
  start_informer();
  const std::string expired = R"({"kind":"Status","code":410,"reason":"Expired","message":"too old"})";
  api->watches.lose_request("watch=1");
  api->watches.answer_next("watch=1", {.status = 410, .headers = {}, .body = expired});
  api->watches.cut_streams();
  remove("goes");
  create("comes");
  EXPECT_TRUE(api->eventually([&] { return informer->find(key("goes")) == nullptr && holds("comes", "1"); }));
  EXPECT_TRUE(api->eventually([&] { return informer->reflector().relists() == 1; }));
  EXPECT_TRUE(holds("stays", "1"));
}

TEST_P(WatchConformance, AWatchThatIdlesIsCutAndResumed) {
  ReflectorOptions options{.resource = config_maps(), .ns = api->ns, .label_selector = "of=test", .field_selector = {}};
  options.idle_timeout = seconds(1);
  informer.emplace(client(), api->clock, api->io.get_executor(), options, project);
  start_informer();
  api->watches.delay_next("never matches", milliseconds(0));
  bool reopened = false;
  EXPECT_TRUE(api->eventually([&] {
    reopened = reopened || api->watches.open_streams() == 0;
    return reopened;
  })) << "the silent watch is cut";
  create("a");
  EXPECT_TRUE(api->eventually([&] { return holds("a", "1"); }));
  EXPECT_EQ(informer->reflector().relists(), 0U);
}

TEST_P(WatchConformance, CallsGetThroughABusyAndBrokenServer) {
  api->calls.answer_next("PATCH", {.status = 429, .headers = {{"retry-after", "1"}}, .body = "Too many requests"});
  api->calls.answer_next("POST", {.status = 503, .headers = {{"retry-after", "1"}}, .body = "starting"});
  create("a");
  api->calls.lose_answer("PATCH");
  api->calls.answer_next("GET", {.status = 500, .headers = {}, .body = "etcd leader changed"});
  api->calls.delay_next("GET", milliseconds(50));
  set_value("a", "2");
  const auto read = api->run(client().get(config_maps(), key("a")));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(project(*read).text, "2");
  EXPECT_EQ(api->calls.unused_faults(), 0U);
}

TEST_P(WatchConformance, ACreationWhoseAnswerWasLostIsFoundAgain) {
  api->calls.lose_answer("POST");
  const json object = {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", "a"}}}};
  const auto lost = api->run(client().create(config_maps(), api->ns, object, {}));
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, ErrorCode::kUnavailable);
  const auto again = api->run(client().create(config_maps(), api->ns, object, {}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
}

TEST_P(WatchConformance, OneLeadsAndTheOtherTakesOverWhenItStops) {
  int leading_a = 0;
  int leading_b = 0;
  const auto options = [&](const char* identity) {
    return LeaderElectionOptions{.lease = key("leader"),
                                 .identity = identity,
                                 .lease_duration = milliseconds(20'000),
                                 .renew_deadline = milliseconds(15'000),
                                 .retry_period = milliseconds(100)};
  };
  const auto lead = [](int& count) -> Task<void> {
    ++count;
    co_return;
  };
  LeaderElector a(client(), api->clock, api->io.get_executor(), options("a"));
  LeaderElector b(client(), api->clock, api->io.get_executor(), options("b"));
  Background second(api->io);
  {
    Background first(api->io);
    first.start(a.run([&] { return lead(leading_a); }));
    ASSERT_TRUE(api->eventually([&] { return a.is_leader(); }));
    second.start(b.run([&] { return lead(leading_b); }));
    const auto renewed = [&] {
      const auto lease = api->run(client().get(leases(), key("leader")));
      return lease && get_string(get_object(*lease, "spec"), "renewTime") !=
                          get_string(get_object(*lease, "spec"), "acquireTime");
    };
    EXPECT_TRUE(api->eventually(renewed));
    EXPECT_FALSE(b.is_leader());
  }
  EXPECT_TRUE(api->eventually([&] { return b.is_leader(); }));
  EXPECT_FALSE(a.is_leader());
  EXPECT_EQ(leading_a, 1);
  EXPECT_EQ(leading_b, 1);
}

TEST_P(WatchConformance, EventsCanBeFoundByTheirObject) {
  EventRecorder recorder(client(), api->clock, api->io.get_executor(), "det-conformance");
  Background sending(api->io);
  sending.start(recorder.run());
  create("a");
  const auto object = api->run(client().get(config_maps(), key("a")));
  ASSERT_TRUE(object);
  const EventSubject subject{.resource = config_maps(), .key = key("a"), .uid = project(*object).uid};
  ListOptions options;
  options.ns = api->ns;
  options.field_selector = "involvedObject.uid=" + subject.uid;
  Result<ListResult> found;
  const auto count_is = [&](int count) {
    return [&, count] {
      found = api->run(client().list(core_events(), options));
      return found && found->items.size() == 1 && get_integer(found->items[0], "count") == count;
    };
  };
  recorder.publish(subject, EventType::kWarning, "Tested", "it was tested");
  ASSERT_TRUE(api->eventually(count_is(1)));
  recorder.publish(subject, EventType::kWarning, "Tested", "it was tested");
  ASSERT_TRUE(api->eventually(count_is(2)));
  EXPECT_EQ(get_string(found->items[0], "reason"), "Tested");
  EXPECT_EQ(get_string(found->items[0], "type"), "Warning");
}

}  // namespace
}  // namespace det::k8s
