#include "scheduler/read_objects.h"

#include <limits>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace det::scheduler {
namespace {

using nlohmann::json;

json container(json requests, json limits = json::object()) {
  return {{"name", "c"}, {"resources", {{"requests", std::move(requests)}, {"limits", std::move(limits)}}}};
}

TEST(ReadShape, SumsContainersAndTakesALimitForTheRequest) {
  const PodShape shape = read_shape(
      {{"spec", {{"containers", {container({{"cpu", "500m"}}), container({}, {{"cpu", 2}, {"rdma/ib", "1"}})}}}}});
  EXPECT_EQ(shape.requests, (Amounts{{"cpu", 2500}, {"rdma/ib", 1000}, {"pods", 1000}}));
}

TEST(ReadShape, CountsTheLargestStepOfTheInitialisationWithItsSidecars) {
  json sidecar = container({{"cpu", "1"}});
  sidecar["restartPolicy"] = "Always";
  const json spec = {{"containers", {container({{"cpu", "2"}})}},
                     {"initContainers", {container({{"cpu", "3"}}), sidecar, container({{"cpu", "4"}})}},
                     {"overhead", {{"cpu", "100m"}}}};
  EXPECT_EQ(read_shape({{"spec", spec}}).requests.at("cpu"), 5'100) << "the second init container beside the sidecar";
}

TEST(ReadShape, OfVeryMuchIsVeryMuch) {
  const json spec = {
      {"containers", {container({{"memory", "7Pi"}}), container({{"memory", "7Pi"}}), container({{"disk", "2Ei"}})}}};
  const PodShape shape = read_shape({{"spec", spec}});
  EXPECT_EQ(shape.requests.at("memory"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(shape.requests.at("disk"), std::numeric_limits<std::int64_t>::max());
}

TEST(ReadShape, TakesResourcesOfThePodBeforeThoseOfItsContainers) {
  const json spec = {{"containers", {container({{"cpu", "2"}})}}, {"resources", {{"requests", {{"cpu", "6"}}}}}};
  EXPECT_EQ(read_shape({{"spec", spec}}).requests.at("cpu"), 6'000);
}

TEST(ReadNode, ReadsWhatANodeOffers) {
  const Node node =
      read_node({{"metadata", {{"name", "n"}, {"labels", {{"zone", "a"}}}}},
                 {"spec", {{"unschedulable", true}, {"taints", {{{"key", "k"}, {"effect", "NoExecute"}}}}}},
                 {"status",
                  {{"allocatable", {{"memory", "1Ki"}, {"amd.com/gpu", "4"}}},
                   {"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
  EXPECT_TRUE(node.unschedulable);
  EXPECT_TRUE(node.ready);
  EXPECT_EQ(node.taints, (std::vector<Taint>{{.key = "k", .value = "", .effect = "NoExecute"}}));
  EXPECT_EQ(node.allocatable, (Amounts{{"memory", 1'024'000}, {"amd.com/gpu", 4'000}}));
}

TEST(PinTo, BindsEveryTermToTheNode) {
  json pod = {{"spec", json::object()}};
  pin_to(pod, "n7");
  EXPECT_EQ(node_of(pod), "n7");
  json terms = json::array({{{"matchExpressions", {{{"key", "class"}, {"operator", "In"}, {"values", {"A40"}}}}}},
                            {{"matchExpressions", {{{"key", "class"}, {"operator", "Exists"}}}}}});
  json& required =
      pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"];
  required = terms;
  pin_to(pod, "n8");
  const PodShape shape = read_shape(pod);
  EXPECT_TRUE(matches(*shape.affinity, {{"class", "A40"}}, "n8"));
  EXPECT_FALSE(matches(*shape.affinity, {{"class", "A40"}}, "n7"));
  EXPECT_FALSE(matches(*shape.affinity, {}, "n8"));
  EXPECT_EQ(required.size(), 2U);
}

TEST(PinTo, LeavesATermThatSelectsNothingAsItIs) {
  json pod;
  pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
      json::array({json::object()});
  pin_to(pod, "n");
  EXPECT_FALSE(matches(*read_shape(pod).affinity, {}, "n"));
}

TEST(ReadQuota, DoesNotCountWhatItDoesNotUnderstand) {
  EXPECT_FALSE(read_quota({{"spec", {{"hard", {{"pods", "1"}}}, {"scopes", {"BestEffort"}}}}}).is_understood);
  const Quota quota = read_quota(
      {{"spec",
        {{"hard", {{"pods", "1"}}},
         {"scopes", {"NotTerminating"}},
         {"scopeSelector",
          {{"matchExpressions", {{{"scopeName", "PriorityClass"}, {"operator", "In"}, {"values", {"low"}}}}}}}}}});
  EXPECT_TRUE(quota.is_understood);
  EXPECT_EQ(quota.terminating, false);
  ASSERT_EQ(quota.priority_class.size(), 1U);
  EXPECT_TRUE(matches(quota.priority_class[0], {{"class", "low"}}));
}

TEST(ReadQuota, KnowsWhetherSomebodyCounts) {
  const json spec = {{"hard", {{"pods", "1"}}}};
  EXPECT_FALSE(read_quota({{"spec", spec}}).is_counted);
  EXPECT_TRUE(read_quota({{"spec", spec}, {"status", {{"hard", {{"pods", "1"}}}}}}).is_counted);
}

TEST(ShapeKey, DiffersWhereShapesDo) {
  PodShape a;
  PodShape b;
  b.requests["cpu"] = 1;
  EXPECT_NE(shape_key(a), shape_key(b));
  EXPECT_EQ(constraint_key(a), constraint_key(b));
  b = {};
  b.affinity = Terms{};
  EXPECT_NE(constraint_key(a), constraint_key(b));
}

struct OperatorCase {
  SelectorOperator op;
  std::vector<std::string> values;
  Labels labels;
  bool expected;
};

TEST(Requirement, MeansWhatKubernetesMeans) {
  const std::vector<OperatorCase> cases = {
      {SelectorOperator::kIn, {"a", "b"}, {{"k", "b"}}, true},
      {SelectorOperator::kIn, {"a"}, {}, false},
      {SelectorOperator::kNotIn, {"a"}, {}, true},
      {SelectorOperator::kNotIn, {"a"}, {{"k", "a"}}, false},
      {SelectorOperator::kExists, {}, {{"k", ""}}, true},
      {SelectorOperator::kExists, {}, {}, false},
      {SelectorOperator::kDoesNotExist, {}, {}, true},
      {SelectorOperator::kDoesNotExist, {}, {{"k", ""}}, false},
      {SelectorOperator::kGt, {"5"}, {{"k", "6"}}, true},
      {SelectorOperator::kGt, {"5"}, {{"k", "5"}}, false},
      {SelectorOperator::kGt, {"5"}, {{"k", "six"}}, false},
      {SelectorOperator::kLt, {"5"}, {{"k", "-6"}}, true},
      {SelectorOperator::kLt, {"5"}, {}, false},
      {SelectorOperator::kGt, {"5", "6"}, {{"k", "9"}}, false},
      {SelectorOperator::kUnknown, {"a"}, {{"k", "a"}}, false},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Requirement requirement{.key = "k", .op = cases[i].op, .values = cases[i].values};
    EXPECT_EQ(matches(requirement, cases[i].labels), cases[i].expected) << "case " << i;
  }
}

TEST(WantedLabels, SayWhatAPodAsksOfItsNode) {
  const Requirement gpu{.key = "gpu.nvidia.com/class", .op = SelectorOperator::kIn, .values = {"A40", "A100"}};
  const Requirement region{.key = "region", .op = SelectorOperator::kNotIn, .values = {"LGA1"}};
  const Requirement ib{.key = "ib", .op = SelectorOperator::kExists, .values = {}};
  const Requirement pin{.key = "metadata.name", .op = SelectorOperator::kIn, .values = {"n1"}};
  EXPECT_EQ(wanted_labels({}, {}), "");
  EXPECT_EQ(wanted_labels({{"pool", "a"}}, {}), "pool=a");
  EXPECT_EQ(wanted_labels({}, {{.labels = {gpu, region}, .fields = {pin}}}),
            "gpu.nvidia.com/class in (A40, A100) and region not in (LGA1)");
  EXPECT_EQ(wanted_labels({{"pool", "a"}}, {{.labels = {gpu}, .fields = {}}, {.labels = {ib}, .fields = {}}}),
            "pool=a and (gpu.nvidia.com/class in (A40, A100) or ib exists)");
}

TEST(Tolerates, MatchesKeyValueAndEffect) {
  const Taint taint{.key = "k", .value = "v", .effect = "NoSchedule"};
  EXPECT_TRUE(tolerates({{.key = "", .exists = true}}, taint));
  EXPECT_TRUE(tolerates({{.key = "k", .exists = false, .value = "v", .effect = "NoSchedule"}}, taint));
  EXPECT_FALSE(tolerates({{.key = "k", .exists = false, .value = "w"}}, taint));
  EXPECT_FALSE(tolerates({{.key = "k", .exists = true, .value = "", .effect = "NoExecute"}}, taint));
  EXPECT_TRUE(tolerates({}, {.key = "k", .value = "v", .effect = "PreferNoSchedule"}));
}

}  // namespace
}  // namespace det::scheduler
