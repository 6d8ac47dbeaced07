#include "operator/experiment/name_edits.h"

#include <gtest/gtest.h>

namespace det::op {
namespace {

using nlohmann::json;

constexpr const char* kAccepted = "accepted";

ObservedExperiment named(const char* name, std::int64_t generation, std::int64_t looked_at) {
  ObservedExperiment object;
  object.generation = generation;
  object.config = {{"name", name}};
  object.status = {{"observedGeneration", looked_at}};
  return object;
}

store::ExperimentRow row(const char* title) {
  store::ExperimentRow row;
  row.id = {7};
  row.title = title;
  return row;
}

// What the row is called after a look at the object.
std::string followed(NameEdits& names, const ObservedExperiment& object, const char* title) {
  store::ExperimentRow after = row(title);
  const store::ExperimentPatch patch = names.of(object, {{"name", kAccepted}}, after);
  EXPECT_EQ(patch.title.value_or(title), after.title);
  names.note(object);
  return after.title;
}

TEST(NameEdits, AreFollowedOnceAndThenRestMayRename) {
  NameEdits names;
  EXPECT_EQ(followed(names, named(kAccepted, 1, 1), kAccepted), kAccepted);
  EXPECT_EQ(followed(names, named("by kubectl", 2, 1), kAccepted), "by kubectl");
  EXPECT_EQ(followed(names, named("by kubectl", 2, 2), "by REST"), "by REST");
  EXPECT_EQ(followed(names, named(kAccepted, 3, 2), "by REST"), kAccepted);
}

TEST(NameEdits, ThatALeaderBeforeFollowedAreNotFollowedAgain) {
  NameEdits names;
  EXPECT_EQ(followed(names, named("by kubectl", 2, 2), "by REST"), "by REST");
  EXPECT_EQ(followed(names, named("again", 3, 2), "by REST"), "again");
}

TEST(NameEdits, OfATimeWithoutALeaderAreFollowed) {
  NameEdits names;
  EXPECT_EQ(followed(names, named("by kubectl", 2, 1), kAccepted), "by kubectl");
}

}  // namespace
}  // namespace det::op
