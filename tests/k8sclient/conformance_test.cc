// The same tests on the API server in memory, on the embedded one (in the tests of local/) and on a real
// kube-apiserver: what the others promise, the real one does.

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

std::string text_at(const json& object, const char* pointer) {
  const json::json_pointer place(pointer);
  return object.contains(place) ? object.at(place).get<std::string>() : std::string();
}

class Conformance : public testing::TestWithParam<ApiKind> {
 protected:
  void SetUp() override {
    if (!ApiUnderTest::is_available(GetParam())) GTEST_SKIP() << ApiUnderTest::kWhyNotAvailable;
    api.emplace(GetParam());
  }
  [[nodiscard]] Client& client() { return api->client; }
  [[nodiscard]] ObjectKey key(const std::string& name) const { return {.ns = api->ns, .name = name}; }
  static json config_map(const std::string& name, const std::string& value = "1", const json& labels = json::object()) {
    return {{"apiVersion", "v1"},
            {"kind", "ConfigMap"},
            {"metadata", {{"name", name}, {"labels", labels}}},
            {"data", {{"value", value}}}};
  }
  json create(const json& object) {
    const auto created = api->run(client().create(config_maps(), api->ns, object, {}));
    EXPECT_TRUE(created) << created.error().message;
    return created.value_or(json::object());
  }
  Result<json> set_value(const std::string& name, const std::string& value) {
    return api->run(client().patch(config_maps(), key(name), {{"data", {{"value", value}}}}, {}));
  }
  Status remove(const std::string& name, const DeleteOptions& options = {}) {
    return api->run(client().remove(config_maps(), key(name), options));
  }
  Result<json> get(const std::string& name) { return api->run(client().get(config_maps(), key(name))); }
  Result<ListResult> list(ListOptions options = {}) {
    options.ns = api->ns;
    return api->run(client().list(config_maps(), options));
  }

  std::optional<ApiUnderTest> api;
};

INSTANTIATE_TEST_SUITE_P(Api, Conformance, testing::ValuesIn(test::conformance_kinds()),
                         [](const auto& kind) { return to_string(kind.param); });

TEST_P(Conformance, CreatesReadsChangesAndDeletes) {
  const json created = create(config_map("a", "1"));
  EXPECT_FALSE(text_at(created, "/metadata/uid").empty());
  EXPECT_EQ(text_at(created, "/metadata/namespace"), api->ns);
  const auto changed = set_value("a", "2");
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_NE(text_at(*changed, "/metadata/resourceVersion"), text_at(created, "/metadata/resourceVersion"));
  const auto read = get("a");
  ASSERT_TRUE(read);
  EXPECT_EQ(text_at(*read, "/data/value"), "2");
  EXPECT_EQ(text_at(*read, "/metadata/uid"), text_at(created, "/metadata/uid"));
  EXPECT_TRUE(remove("a"));
  const auto gone = get("a");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(gone.error().message.contains("configmaps \"a\" not found")) << gone.error().message;
}

TEST_P(Conformance, RefusesToCreateTwice) {
  create(config_map("a"));
  const auto again = api->run(client().create(config_maps(), api->ns, config_map("a"), {}));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::kAlreadyExists);
}

TEST_P(Conformance, AWriteFromAnOldVersionIsAConflict) {
  const json created = create(config_map("a"));
  ASSERT_TRUE(set_value("a", "2"));
  json patch = {{"metadata", {{"resourceVersion", text_at(created, "/metadata/resourceVersion")}}},
                {"data", {{"value", "3"}}}};
  const auto patched = api->run(client().patch(config_maps(), key("a"), std::move(patch), {}));
  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().code, ErrorCode::kAborted);
  json stale = created;
  stale["data"]["value"] = "3";
  const auto put = api->run(client().update(config_maps(), key("a"), std::move(stale), {}));
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::kAborted);
  EXPECT_EQ(text_at(*get("a"), "/data/value"), "2");
}

TEST_P(Conformance, AChangeThatChangesNothingKeepsTheVersion) {
  const json created = create(config_map("a", "1"));
  const auto same = set_value("a", "1");
  ASSERT_TRUE(same);
  EXPECT_EQ(text_at(*same, "/metadata/resourceVersion"), text_at(created, "/metadata/resourceVersion"));
}

TEST_P(Conformance, UpdatesAndJsonPatchesApply) {
  json object = create(config_map("a", "1"));
  object["data"]["value"] = "2";
  ASSERT_TRUE(api->run(client().update(config_maps(), key("a"), object, {})));
  PatchOptions options;
  options.type = PatchType::kJson;
  const json patch = json::parse(
      R"([{"op":"test","path":"/data/value","value":"2"},{"op":"replace","path":"/data/value","value":"3"}])");
  ASSERT_TRUE(api->run(client().patch(config_maps(), key("a"), patch, options)));
  EXPECT_EQ(text_at(*get("a"), "/data/value"), "3");
  const auto failed_test = api->run(client().patch(config_maps(), key("a"), patch, options));
  ASSERT_FALSE(failed_test);
  EXPECT_EQ(failed_test.error().code, ErrorCode::kInvalidArgument);
}

TEST_P(Conformance, DeletesOnlyTheObjectThatWasMeant) {
  const json created = create(config_map("a"));
  DeleteOptions other;
  other.uid = "00000000-0000-0000-0000-000000000000";
  EXPECT_TRUE(remove("a", other)) << "the object that was meant is gone: success";
  EXPECT_TRUE(get("a")) << "but this one stays";
  DeleteOptions right;
  right.uid = text_at(created, "/metadata/uid");
  EXPECT_TRUE(remove("a", right));
  EXPECT_FALSE(get("a"));
  EXPECT_TRUE(remove("a")) << "not found is success";
}

TEST_P(Conformance, ADryRunLeavesNothingBehind) {
  WriteOptions options;
  options.dry_run = true;
  EXPECT_TRUE(api->run(client().create(config_maps(), api->ns, config_map("a"), options)));
  EXPECT_FALSE(get("a"));
}

TEST_P(Conformance, ListsInPagesAndBySelectors) {
  for (int i = 0; i < 5; ++i) {
    create(config_map("m" + std::to_string(i), "1", {{"part", i % 2 == 0 ? "even" : "odd"}, {"of", "list"}}));
  }
  ListOptions options;
  options.label_selector = "of=list";
  options.limit = 2;
  const auto all = list(options);
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_EQ(all->items.size(), 5U);
  EXPECT_EQ(text_at(all->items[4], "/metadata/name"), "m4");
  EXPECT_FALSE(all->resource_version.empty());
  options.label_selector = "of=list,part!=odd";
  EXPECT_EQ(list(options)->items.size(), 3U);
  options.label_selector = {};
  options.field_selector = "metadata.name=m3";
  EXPECT_EQ(list(options)->items.size(), 1U);
}

TEST_P(Conformance, WritingAStatusLeavesSpecAndGenerationAlone) {
  const Resource probes{.group = "conformance.det-operator.dev", .version = "v1", .plural = "probes", .kind = "Probe"};
  const json open = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  const json schema = {{"type", "object"}, {"properties", {{"spec", open}, {"status", open}}}};
  json crd = {{"apiVersion", "apiextensions.k8s.io/v1"},
              {"kind", "CustomResourceDefinition"},
              {"metadata", {{"name", "probes.conformance.det-operator.dev"}}},
              {"spec",
               {{"group", probes.group},
                {"scope", "Namespaced"},
                {"names", {{"plural", "probes"}, {"singular", "probe"}, {"kind", "Probe"}}},
                {"versions", json::array({{{"name", "v1"},
                                           {"served", true},
                                           {"storage", true},
                                           {"subresources", {{"status", json::object()}}},
                                           {"schema", {{"openAPIV3Schema", schema}}}}})}}}};
  const auto defined = api->run(client().create(custom_resource_definitions(), "", std::move(crd), {}));
  ASSERT_TRUE(defined || defined.error().code == ErrorCode::kAlreadyExists) << defined.error().message;
  Result<json> created = fail(ErrorCode::kNotFound, "not yet");
  ASSERT_TRUE(api->eventually([&] {
    json probe = {{"apiVersion", probes.api_version()},
                  {"kind", "Probe"},
                  {"metadata", {{"name", "p"}}},
                  {"spec", {{"a", 1}}},
                  {"status", {{"ignored", true}}}};
    created = api->run(client().create(probes, api->ns, std::move(probe), {}));
    return created.has_value();
  })) << created.error().message;
  EXPECT_FALSE(created->contains("status"));
  PatchOptions options;
  options.subresource = "status";
  const json both = {{"spec", {{"a", 2}}}, {"status", {{"state", "ok"}}}};
  const auto patched = api->run(client().patch(probes, key("p"), both, options));
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_EQ((*patched)["status"]["state"], "ok");
  EXPECT_EQ((*patched)["spec"]["a"], 1);
  EXPECT_EQ((*patched)["metadata"]["generation"], 1);
  const auto changed = api->run(client().patch(probes, key("p"), both, {}));
  ASSERT_TRUE(changed);
  EXPECT_EQ((*changed)["metadata"]["generation"], 2);
  EXPECT_EQ((*changed)["status"]["state"], "ok");
  EXPECT_TRUE(api->run(
      client().remove(custom_resource_definitions(), {.ns = {}, .name = "probes.conformance.det-operator.dev"}, {})));
}

}  // namespace
}  // namespace det::k8s
