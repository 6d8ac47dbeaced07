#include "operator/trial/trial_retirement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace det::op {
namespace {

using model::TrialState;
using testing::ElementsAre;
using testing::IsEmpty;

store::TrialRow row(std::int64_t id, TrialState state = TrialState::kActive) {
  store::TrialRow trial;
  trial.id = {id};
  trial.state = state;
  return trial;
}

std::vector<std::int64_t> ids(const std::vector<store::TrialRow>& trials) {
  std::vector<std::int64_t> found;
  for (const auto& trial : trials) found.push_back(trial.id.value);
  return found;
}

std::vector<std::int64_t> ids(const std::vector<FinishedTrial>& trials) {
  std::vector<std::int64_t> found;
  for (const auto& trial : trials) found.push_back(trial.id);
  return found;
}

FinishedTrial finished(std::int64_t id) {
  return {.id = id, .key = {.ns = "n", .name = "t-" + std::to_string(id)}, .uid = "u" + std::to_string(id)};
}

KeptTrial object(const std::string& state, bool deleting = false) {
  KeptTrial trial;
  trial.state = state;
  trial.head.deleting = deleting;
  return trial;
}

TEST(TrialObjects, AreThoseOfTheFirstThatAreAlive) {
  const std::vector<store::TrialRow> trials = {
      row(1, TrialState::kCompleted),         row(2), row(3, TrialState::kError), row(4, TrialState::kPaused),
      row(5, TrialState::kStoppingCompleted), row(6)};
  EXPECT_THAT(ids(trials_with_objects(trials)), ElementsAre(2, 4, 5, 6));
  EXPECT_THAT(ids(trials_with_objects(trials, 3)), ElementsAre(2, 4, 5));
  EXPECT_THAT(ids(trials_with_objects(trials, 0)), IsEmpty());
}

TEST(TrialObjects, OfASearchOfThousandsAreAThousand) {
  std::vector<store::TrialRow> trials;
  for (std::int64_t id = 1; id <= 2'500; ++id)
    trials.push_back(row(id, id <= 400 ? TrialState::kCompleted : TrialState::kActive));
  const auto living = ids(trials_with_objects(trials));
  ASSERT_EQ(living.size(), kMaxLiveTrials);
  EXPECT_EQ(living.front(), 401);
  EXPECT_EQ(living.back(), 1'400);
}

TEST(TrialObjects, OfTrialsThatRestUntilTheSearchHasMoreForThemTakeNoPlace) {
  const store::TrialWork passed{.length = 4, .settled = 4};
  std::vector<store::TrialRow> trials;
  for (std::int64_t id = 1; id <= 1'500; ++id) {
    trials.push_back(row(id));
    trials.back().uid = "u";
    trials.back().work = passed;
  }
  trials.push_back(row(1'501));
  EXPECT_EQ(ids(trials_with_objects(trials)).back(), 1'501) << "or nothing would ever train again";
  EXPECT_EQ(trials_with_objects(trials).size(), 1'501U) << "whose object somebody deleted is found by it";
  trials[0].work.length = 8;
  EXPECT_THAT(ids(trials_with_objects({trials[0], trials[1], trials[1'500]}, 1)), ElementsAre(1, 2));
}

TEST(TrialObjects, OfTrialsThatAreOverTheYoungestStay) {
  const std::vector<FinishedTrial> some = {finished(9), finished(2), finished(7), finished(4)};
  EXPECT_EQ(trials_to_retire(some, 2), (std::vector<FinishedTrial>{finished(2), finished(4)})) << "with key and uid";
  EXPECT_THAT(trials_to_retire(some, 4), IsEmpty());
  EXPECT_THAT(trials_to_retire(some), IsEmpty());
  EXPECT_THAT(trials_to_retire({}, 0), IsEmpty());
  std::vector<FinishedTrial> many;
  for (std::int64_t id = 1; id <= 103; ++id) many.push_back(finished(id));
  EXPECT_THAT(ids(trials_to_retire(many)), ElementsAre(1, 2, 3));
}

TEST(TrialObjects, AreOverWhenTheySaySoAndNobodyDeletesThem) {
  for (const char* over : {"COMPLETED", "CANCELED", "ERROR"}) {
    EXPECT_TRUE(is_finished(object(over))) << over;
    EXPECT_FALSE(is_finished(object(over, true))) << over;
  }
  for (const char* alive : {"", "RUNNING", "QUEUED", "PAUSED", "ACTIVE"})
    EXPECT_FALSE(is_finished(object(alive))) << alive;
}

}  // namespace
}  // namespace det::op
