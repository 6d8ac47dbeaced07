// Selectors, JSON paths, ages, columns, the binder's arithmetic, protobuf bodies: values in, values out.

#include <limits>

#include <gtest/gtest.h>

#include "local/kubeapi/binder.h"
#include "local/kubeapi/event_expiry.h"
#include "local/kubeapi/protobuf_body.h"
#include "local/kubeapi/selector.h"
#include "local/kubeapi/table.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;
using std::chrono::seconds;

bool labels_match(const char* selector, const json& labels) {
  const auto parsed = LabelSelector::parse(selector);
  EXPECT_TRUE(parsed) << selector;
  return parsed && parsed->matches({{"metadata", {{"labels", labels}}}});
}

TEST(LabelSelector, KnowsTheWholeGrammar) {
  const json labels = {{"a", "1"}, {"b.c/d", "x"}};
  EXPECT_TRUE(labels_match("a=1,b.c/d==x", labels));
  EXPECT_FALSE(labels_match("a=2", labels));
  EXPECT_TRUE(labels_match("a!=2,z!=1", labels)) << "a label that is not there is not equal";
  EXPECT_TRUE(labels_match("a in (1, 2),z notin (1)", labels));
  EXPECT_FALSE(labels_match("a notin (1)", labels));
  EXPECT_TRUE(labels_match("a,!z", labels));
  EXPECT_TRUE(labels_match("", labels));
  for (const char* wrong : {"=1", "a in 1", "a of (1)", "a=b=c,,", "a in (1"}) {
    const auto refused = LabelSelector::parse(wrong);
    EXPECT_TRUE(!refused && refused.error().code == 400) << wrong;
  }
}

ObjectRef event_of(const char* name, std::uint64_t version, const char* last) {
  json value = {{"metadata", {{"name", name}, {"namespace", "ns"}, {"creationTimestamp", "2026-01-01T00:00:00Z"}}}};
  if (*last != 0) value["lastTimestamp"] = last;
  return std::make_shared<StoredObject>(StoredObject{.value = std::move(value), .version = version});
}

TEST(EventExpiry, TakesWhatIsOldAndTheOldestOfWhatIsTooMany) {
  const std::vector<ObjectRef> events = {event_of("fourth", 4, "2026-01-01T02:00:00Z"),
                                         event_of("by-creation", 9, ""),  // its writer named no time of its own
                                         event_of("second", 2, "2026-01-01T02:00:00Z"),
                                         event_of("unreadable", 8, "yesterday"),
                                         event_of("third", 3, "2026-01-01T02:00:00Z")};
  const auto expired = [&](std::size_t most) {
    std::set<std::string> names;
    for (const Place& place : expired_events(events, *parse_rfc3339("2026-01-01T01:00:00Z"), most)) {
      EXPECT_EQ(place.collection + "/" + place.ns, "events/ns");
      EXPECT_TRUE(names.insert(place.name).second);
    }
    return names;
  };
  EXPECT_EQ(expired(10), (std::set<std::string>{"by-creation"}));
  EXPECT_EQ(expired(4), (std::set<std::string>{"by-creation", "second"}));
  EXPECT_EQ(expired(2), (std::set<std::string>{"by-creation", "second", "third", "fourth"}));
  EXPECT_EQ(expired(0).size(), 5U);
  EXPECT_TRUE(expired_events({}, {}, 0).empty());
}

TEST(FieldSelector, OffersWhatTheTypeHas) {
  const Registry registry;
  const TypeRef pods = registry.find("", "v1", "pods");
  const json pod = {{"metadata", {{"name", "p"}}}, {"spec", {{"nodeName", "n"}}}, {"status", {{"phase", "Running"}}}};
  EXPECT_TRUE(FieldSelector::parse("spec.nodeName=n,status.phase!=Failed", *pods)->matches(pod));
  EXPECT_FALSE(FieldSelector::parse("metadata.name=q", *pods)->matches(pod));
  EXPECT_TRUE(FieldSelector::parse("spec.nodeName!=", *pods)->matches(pod));
  EXPECT_EQ(FieldSelector::parse("spec.image=x", *pods).error().message, "field label not supported: spec.image");
}

TEST(JsonPath, FindsWhatColumnsShow) {
  const json object = json::parse(R"({"a":{"b":[{"t":"x","v":1},{"t":"y","v":2}]},"c.d":3})");
  const auto find = [&](const char* path) {
    const auto found = JsonPath::parse(path)->find(object);
    return found.empty() ? json() : *found.front();
  };
  EXPECT_EQ(find(".a.b[1].v"), 2);
  EXPECT_EQ(find(R"(.a.b[?(@.t=="x")].v)"), 1);
  EXPECT_EQ(find(".c\\.d"), 3);
  EXPECT_EQ(find("['c.d']"), 3);
  EXPECT_TRUE(find(".a.z.q").is_null());
  for (const char* wrong : {"", "a", ".a[", ".a[x]", "..a"}) EXPECT_FALSE(JsonPath::parse(wrong)) << wrong;
}

TEST(HumanDuration, IsWrittenAsKubectlDoes) {
  EXPECT_EQ(human_duration(seconds(-5)), "<invalid>");
  EXPECT_EQ(human_duration(seconds(119)), "119s");
  EXPECT_EQ(human_duration(seconds(125)), "2m5s");
  EXPECT_EQ(human_duration(seconds(11 * 60)), "11m");
  EXPECT_EQ(human_duration(seconds(3 * 3600 + 60)), "3h1m");
  EXPECT_EQ(human_duration(seconds(30 * 3600)), "30h");
  EXPECT_EQ(human_duration(seconds(3 * 86400)), "3d");
  EXPECT_EQ(human_duration(seconds(800LL * 86400)), "2y70d");
}

TEST(Columns, OfAPodSayWhatItDoes) {
  const Registry registry;
  json pod = {
      {"metadata", {{"name", "p"}}}, {"spec", {{"containers", {{{"name", "c"}}}}}}, {"status", {{"phase", "Pending"}}}};
  const auto status = [&] { return cells_of(*registry.find("", "v1", "pods"), pod, {})[2]; };
  EXPECT_EQ(status(), "Pending");
  pod["status"]["containerStatuses"] = {
      {{"ready", false}, {"restartCount", 2}, {"state", {{"waiting", {{"reason", "ErrImagePull"}}}}}}};
  EXPECT_EQ(status(), "ErrImagePull");
  EXPECT_EQ(cells_of(*registry.find("", "v1", "pods"), pod, {})[3], "2");
  pod["status"]["containerStatuses"][0]["state"] = {{"terminated", {{"exitCode", 3}}}};
  EXPECT_EQ(status(), "ExitCode:3");
  pod["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z";
  EXPECT_EQ(status(), "Terminating");
}

json pod_with(const char* cpu, const json& spec = json::object()) {
  json pod = {{"spec", spec}};
  pod["spec"]["containers"] = {{{"resources", {{"requests", {{"cpu", cpu}}}}}}};
  return pod;
}

json ready_node() {
  return {{"status", {{"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}};
}

TEST(PlacePod, ExplainsWhyNoNodeIsFit) {
  json node = ready_node();
  const auto place = [&](const json& pod) {
    return place_pod(pod, requests_of(pod), {{"n", {{"cpu", 2000}, {"pods", 1000}}, &node}});
  };
  EXPECT_EQ(place(pod_with("2")).node, "n");
  EXPECT_EQ(place(pod_with("2001m")).why_not, "0/1 nodes are available: 1 Insufficient cpu.");
  EXPECT_EQ(place(pod_with("1", {{"nodeSelector", {{"a", "b"}}}})).why_not,
            "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.");
  node["spec"]["unschedulable"] = true;
  EXPECT_EQ(place(pod_with("1")).why_not, "0/1 nodes are available: 1 node(s) were unschedulable.");
  EXPECT_EQ(place_pod(pod_with("1"), {}, {}).why_not, "no nodes available to schedule pods");
}

TEST(PlacePod, RespectsTaints) {
  json node = ready_node();
  node["spec"]["taints"] = {{{"key", "gpu"}, {"value", "yes"}, {"effect", "NoSchedule"}}};
  const std::vector<NodeRoom> rooms = {{"n", {{"cpu", 2000}, {"pods", 1000}}, &node}};
  EXPECT_EQ(place_pod(pod_with("1"), requests_of(pod_with("1")), rooms).why_not,
            "0/1 nodes are available: 1 node(s) had untolerated taint {gpu: yes}.");
  const json tolerant = pod_with("1", {{"tolerations", {{{"key", "gpu"}, {"operator", "Exists"}}}}});
  EXPECT_EQ(place_pod(tolerant, requests_of(tolerant), rooms).node, "n");
}

TEST(RequestsOf, TakesTheLargestInitContainerWhenItIsMore) {
  json pod = pod_with("500m");
  pod["spec"]["initContainers"] = {{{"resources", {{"requests", {{"cpu", "2"}, {"x/gpu", "1"}}}}}}};
  const Amounts amounts = requests_of(pod);
  EXPECT_EQ(amounts.at("cpu"), 2000);
  EXPECT_EQ(amounts.at("x/gpu"), 1000);
  EXPECT_EQ(amounts.at("pods"), 1000);
}

TEST(RequestsOf, AreNoLessThanNothingWhateverIsAskedFor) {
  json pod = pod_with("1");
  pod["spec"]["containers"] = {{{"resources", {{"requests", {{"memory", "5P"}}}}}},
                               {{"resources", {{"requests", {{"memory", "5P"}}}}}},
                               {{"resources", {{"requests", {{"memory", "9E"}}}}}}};
  EXPECT_EQ(requests_of(pod).at("memory"), std::numeric_limits<std::int64_t>::max());
}

std::string field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) + static_cast<char>(bytes.size()) + bytes;
}

TEST(ProtobufBody, ReadsWhatKubectlCreateSends) {
  const std::string meta = field(1, "a") + field(11, field(1, "k") + field(2, "v"));
  const std::string object = field(1, meta) + field(2, field(1, "file") + field(2, "text"));
  const std::string type = field(1, "v1") + field(2, "ConfigMap");
  const std::string body = std::string("k8s\0", 4) + field(1, type) + field(2, object) + field(3, "") + field(4, "");
  const auto decoded = decode_protobuf(body);
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(*decoded, json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","data":{"file":"text"},
                                      "metadata":{"name":"a","labels":{"k":"v"}}})"));
  EXPECT_EQ(decode_protobuf("k8s").error().code, 400);
  const std::string other = std::string("k8s\0", 4) + field(1, field(1, "v1") + field(2, "Pod")) + field(2, "");
  EXPECT_EQ(decode_protobuf(other).error().code, 415);
  for (std::size_t cut = 0; cut < body.size(); ++cut) (void)decode_protobuf(body.substr(0, cut));
}

}  // namespace
}  // namespace det::local::kubeapi
