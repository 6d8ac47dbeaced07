#include "pods/slot_resources.h"

#include <gmock/gmock.h>

namespace det::pods {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

json with(const json& spec) {
  return {{"environment", {{"pod_spec", {{"spec", spec}}}}}};
}
json with_amounts(const json& resources, const std::string& container = "determined-container") {
  return with({{"containers", {{{"name", "sidecar"}}, {{"name", container}, {"resources", resources}}}}});
}
constexpr model::SlotRule kCpus{.type = model::SlotType::kCpu, .cpu_per_slot = 0.5};

TEST(SlotResources, AreWholeOrThousandths) {
  EXPECT_EQ(slot_resources(kCpus, 3), (json{{"cpu", "1500m"}}));
  EXPECT_EQ(slot_resources({.type = model::SlotType::kRocm}, 2), (json{{"amd.com/gpu", "2"}}));
  EXPECT_EQ(slot_resources(kCpus, 0), json::object());
}

TEST(SlotResources, SayWhatTheyTakeThePlaceOf) {
  EXPECT_THAT(overruled_fields(with_amounts({{"requests", {{"cpu", 3}, {"memory", "1Gi"}}}}), kCpus, 2),
              ElementsAre(HasSubstr("resources.requests.cpu of determined-container has no effect here")));
  EXPECT_THAT(overruled_fields(with_amounts({{"limits", {{"cpu", "1"}}}}), kCpus, 2), IsEmpty()) << "it is the same";
  EXPECT_THAT(overruled_fields(with_amounts({{"limits", {{"cpu", "3"}}}}), kCpus, 0), IsEmpty()) << "it has no slots";
  EXPECT_THAT(overruled_fields(with_amounts({{"limits", {{"cpu", "3"}}}}, "sidecar"), kCpus, 2), IsEmpty());
  EXPECT_THAT(overruled_fields(with_amounts({{"limits", {{"cpu", "3"}}}}), {.type = model::SlotType::kCuda}, 2),
              IsEmpty());
}

TEST(SlotResources, SayThatProgramsAreNotRunAgainInTheirPod) {
  EXPECT_THAT(overruled_fields(with({{"restartPolicy", "Always"}}), kCpus, 1),
              ElementsAre(HasSubstr("spec.restartPolicy has no effect here")));
  EXPECT_THAT(overruled_fields(with({{"restartPolicy", "Never"}}), kCpus, 1), IsEmpty());
  EXPECT_THAT(overruled_fields(json{{"environment", "x"}}, kCpus, 1), IsEmpty());
}

}  // namespace
}  // namespace det::pods
