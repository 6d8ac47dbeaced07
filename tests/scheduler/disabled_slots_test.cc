#include "scheduler/disabled_slots.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scheduler/read_objects.h"

namespace det::scheduler {
namespace {

using nlohmann::json;

json node_with(const json& annotations) {
  return {{"metadata", {{"name", "n1"}, {"annotations", annotations}}},
          {"status", {{"allocatable", {{"nvidia.com/gpu", "4"}, {"cpu", "8"}}}}}};
}

json with_slots(const std::map<int, DisabledSlot>& slots) {
  json annotations = json::object();
  for (const auto& [number, slot] : slots) annotations[disabled_slot_annotation(number)] = write_disabled_slot(slot);
  return node_with(annotations);
}

TEST(DisabledSlots, AreReadAsTheyWereWritten) {
  const std::map<int, DisabledSlot> slots = {{0, {.resource = "nvidia.com/gpu", .milli = 1000, .drains = true}},
                                             {12, {.resource = "cpu", .milli = 2500, .drains = false}}};
  EXPECT_EQ(read_disabled_slots(with_slots(slots)), slots);
}

TEST(DisabledSlots, AreNotThereForNewGangs) {
  const Node node = read_node(with_slots({{0, {.resource = "nvidia.com/gpu", .milli = 1000}},
                                          {3, {.resource = "nvidia.com/gpu", .milli = 1000}},
                                          {4, {.resource = "amd.com/gpu", .milli = 1000}}}));
  EXPECT_EQ(node.allocatable, (Amounts{{"nvidia.com/gpu", 2000}, {"cpu", 8000}}));
}

TEST(DisabledSlots, NeverLeaveLessThanNothing) {
  EXPECT_EQ(read_node(with_slots({{0, {.resource = "cpu", .milli = 9000}}})).allocatable.at("cpu"), 0);
}

TEST(DisabledSlots, OfAnnotationsThatSaySomethingElseAreNone) {
  const std::string name = disabled_slot_annotation(0);
  for (const json& value :
       {json("[]"), json("{"), json(R"({"resource":"cpu"})"), json(R"({"resource":"cpu","milli":-1})"),
        json(R"({"resource":"cpu","milli":1e18})"), json(R"({"resource":1,"milli":1000})"), json(7)}) {
    EXPECT_TRUE(read_disabled_slots(node_with({{name, value}})).empty()) << value;
  }
  const std::string good = write_disabled_slot({.resource = "cpu", .milli = 1});
  for (const char* other : {"x", "-1", "1x", "", "99999999999"}) {
    EXPECT_TRUE(
        read_disabled_slots(node_with({{"disabled-slot.det-operator.dev/" + std::string(other), good}})).empty())
        << other;
  }
}

}  // namespace
}  // namespace det::scheduler
