#include "api/live/live_hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/live/live_feed.h"
#include "store/channels.h"
#include "tests/support/background.h"
#include "tests/support/fake_clock.h"

namespace det::api {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr LiveTopic kList{LiveKind::kExperiments};

struct Hub {
  explicit Hub(LiveLimits limits = {}) : hub(io.get_executor(), clock, limits) {
    background.start(hub.run([this](std::vector<std::string> payloads) -> Task<Status> {
      for (std::string& payload : payloads) told.push_back(std::move(payload));
      co_return Status();
    }));
    clock.settle();
  }
  std::shared_ptr<LiveHub::Place> watch(std::vector<LiveTopic> topics, std::int64_t user = 2) {
    return hub.enter({user}, std::move(topics)).value();
  }
  // "experiments:3,9" of each topic.
  std::vector<std::string> news(const LiveHub::Place& place, std::uint64_t after) {
    std::vector<std::string> all;
    const LiveHub::News found = hub.since(after, place.topics());
    if (found.is_behind) return {"behind"};
    for (const auto& change : found.changes) {
      std::string text =
          std::to_string(static_cast<int>(change.topic.kind)) + "/" + std::to_string(change.topic.number);
      for (const std::string& id : change.ids) text += " " + id;
      all.push_back(std::move(text));
    }
    return all;
  }

  asio::io_context io;
  test::FakeClock clock{io};
  LiveHub hub;
  std::vector<std::string> told;
  test::Background background{io};
};

TEST(LiveHub, TellsWhatChangedOfWhatIsWatched) {
  Hub hub;
  const auto place = hub.watch({{LiveKind::kTrial, 7}, kList});
  const auto before = hub.hub.last();
  hub.hub.touch(kList, "3");
  hub.hub.touch(kList, "9");
  hub.hub.touch({LiveKind::kTrial, 7});
  hub.hub.touch({LiveKind::kTrial, 8});
  hub.hub.touch({LiveKind::kModels});
  hub.clock.settle();
  hub.clock.advance(LiveHub::kPace);
  EXPECT_THAT(hub.news(*place, before), ElementsAre("0/0 3 9", "6/7"));
  EXPECT_THAT(hub.news(*place, hub.hub.last()), IsEmpty());
}

// One event of a topic for each pace, however often it changes.
TEST(LiveHub, GathersWhatComesQuickly) {
  Hub hub;
  const auto place = hub.watch({kList});
  const auto before = hub.hub.last();
  for (int i = 0; i < 100; ++i) {
    hub.hub.touch(kList, std::to_string(i));
    hub.clock.advance(10ms);
  }
  EXPECT_LE(hub.hub.last() - before, 5U);
  EXPECT_GE(hub.hub.last() - before, 3U);
}

TEST(LiveHub, DoesNotNameMoreThanAHundredIds) {
  Hub hub;
  const auto place = hub.watch({kList});
  const auto before = hub.hub.last();
  for (int i = 0; i < 101; ++i) hub.hub.touch(kList, std::to_string(i));
  hub.clock.advance(LiveHub::kPace);
  EXPECT_THAT(hub.news(*place, before), ElementsAre("0/0"));
  hub.hub.touch(kList, "1");
  hub.clock.advance(LiveHub::kPace);
  EXPECT_THAT(hub.news(*place, before), ElementsAre("0/0")) << "any and one is any";
}

// A list that is asked for anew with every report of every trial would cost more than all else.
TEST(LiveHub, TellsTheListOfMetricsSlowly) {
  Hub hub;
  const auto place = hub.watch({kList, {LiveKind::kExperiment, 3}});
  auto after = hub.hub.last();
  int of_list = 0;
  int of_experiment = 0;
  for (int i = 0; i < 40; ++i) {
    hub.hub.touch_metrics({7}, {3});
    hub.clock.advance(LiveHub::kPace);
    for (const auto& change : hub.hub.since(after, place->topics()).changes) {
      ++(change.topic == kList ? of_list : of_experiment);
    }
    after = hub.hub.last();
  }
  EXPECT_LE(of_list, 6);
  EXPECT_GE(of_list, 4);
  EXPECT_GE(of_experiment, 30);
}

TEST(LiveHub, AReaderThatFellBehindLooksAgain) {
  Hub hub({.ring = 4});
  const auto place = hub.watch({kList});
  const auto before = hub.hub.last();
  for (int i = 0; i < 6; ++i) {
    hub.hub.touch(kList, std::to_string(i));
    hub.clock.advance(2 * LiveHub::kPace);
  }
  EXPECT_THAT(hub.news(*place, before), ElementsAre("behind"));
  EXPECT_THAT(hub.news(*place, hub.hub.last() - 2), ElementsAre("0/0 4 5"));
  EXPECT_THAT(hub.news(*place, hub.hub.last() + 7), ElementsAre("behind")) << "of another start";
}

TEST(LiveHub, EverybodyLooksAgainAfterNotificationsWereLost) {
  Hub hub;
  const auto place = hub.watch({kList});
  const auto before = hub.hub.last();
  hub.hub.lose();
  EXPECT_THAT(hub.news(*place, before), ElementsAre("behind"));
  EXPECT_THAT(hub.news(*place, hub.hub.last()), IsEmpty());
}

TEST(LiveHub, FollowsWhatWasWatchedAMomentAgo) {
  Hub hub;
  const LiveTopic trial{LiveKind::kTrial, 7};
  auto place = hub.watch({trial});
  EXPECT_FALSE(place->was_followed());
  place.reset();
  const auto before = hub.hub.last();
  hub.hub.touch(trial);
  hub.clock.advance(LiveHub::kPace);
  place = hub.watch({trial});
  EXPECT_TRUE(place->was_followed());
  EXPECT_THAT(hub.news(*place, before), ElementsAre("6/7"));
  place.reset();
  hub.clock.advance(2 * LiveHub::kLinger);
  hub.hub.touch(kList);
  hub.clock.advance(LiveHub::kPace);
  EXPECT_FALSE(hub.watch({trial})->was_followed());
}

// Two pages of one trial: what the first missed while nobody watched is not told by the second's watching.
TEST(LiveHub, TellsWhoComesBackOfWhatNobodyFollowed) {
  Hub hub;
  const LiveTopic trial{LiveKind::kTrial, 7};
  auto first = hub.watch({trial});
  const auto before = hub.hub.last();
  first.reset();
  hub.clock.advance(2 * LiveHub::kLinger);
  hub.hub.touch(kList);
  hub.clock.advance(LiveHub::kPace);
  hub.hub.touch(trial);  // nobody's
  hub.clock.advance(LiveHub::kPace);
  const auto second = hub.watch({trial});
  EXPECT_THAT(hub.news(*second, hub.hub.last()), IsEmpty()) << "it has just looked";
  first = hub.watch({trial});
  EXPECT_TRUE(first->was_followed());
  EXPECT_THAT(hub.news(*first, before), ElementsAre("6/7"));
}

TEST(LiveHub, KeepsTheRingShortHoweverManyBeginToWatch) {
  Hub hub({.ring = 4});
  for (std::int64_t trial = 1; trial <= 20; ++trial) static_cast<void>(hub.watch({{LiveKind::kTrial, trial}}));
  const auto place = hub.watch({kList});
  hub.clock.advance(LiveHub::kPace);
  EXPECT_THAT(hub.news(*place, hub.hub.last() - 5), ElementsAre("behind"));
  EXPECT_THAT(hub.news(*place, hub.hub.last() - 4), IsEmpty());
}

TEST(LiveHub, StreamsAreBounded) {
  Hub hub({.streams = 3, .streams_per_user = 2});
  const auto first = hub.watch({kList});
  auto second = hub.watch({kList});
  const auto refused = hub.hub.enter({2}, {kList});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(refused.error().retry_after);
  const auto other = hub.watch({kList}, 5);
  EXPECT_FALSE(hub.hub.enter({6}, {kList})) << "in all";
  second.reset();
  EXPECT_TRUE(hub.hub.enter({2}, {kList}));
}

// Thousands of reports a second are a few notifications.
TEST(LiveHub, TellsOtherReplicasOfReportsTogether) {
  Hub hub;
  for (int i = 0; i < 1'000; ++i) hub.hub.note_report({7}, {3});
  hub.hub.note_report({8}, {3});
  hub.clock.advance(LiveHub::kPace);
  EXPECT_THAT(hub.told, ElementsAre("r7:3 r8:3"));
  for (int i = 0; i < 5'000; ++i) hub.hub.note_report({1'000'000 + i}, {3});
  hub.clock.advance(2 * LiveHub::kPace);
  EXPECT_GT(hub.told.size(), 2U);
  for (const std::string& payload : hub.told) EXPECT_LT(payload.size(), 8'000U);
}

TEST(LiveFeed, TakesNotificationsForWhatTheyMean) {
  Hub hub;
  const auto place = hub.watch({kList,
                                {LiveKind::kTasks},
                                {LiveKind::kQueue},
                                {LiveKind::kModels},
                                {LiveKind::kWorkspaces},
                                {LiveKind::kExperiment, 3},
                                {LiveKind::kTrial, 7},
                                {LiveKind::kLogs, 12}});
  const auto fed = [&](const char* channel, const std::string& payload) {
    const auto before = hub.hub.last();
    feed_live(hub.hub, channel, payload);
    hub.clock.advance(8 * LiveHub::kPace);
    hub.clock.advance(2 * LiveHub::kPace);
    return hub.news(*place, before);
  };
  EXPECT_THAT(fed(store::kLiveChannel, "e3"), ElementsAre("0/0 3", "2/0", "5/3"));
  EXPECT_THAT(fed(store::kLiveChannel, "t7:3"), ElementsAre("0/0 3", "2/0", "5/3", "6/7"));
  EXPECT_THAT(fed(store::kLiveChannel, "r7:3 r9:4"), ElementsAre("0/0 3 4", "5/3", "6/7"));
  EXPECT_THAT(fed(store::kLiveChannel, "m"), ElementsAre("3/0"));
  EXPECT_THAT(fed(store::kLiveChannel, "w"), ElementsAre("4/0"));
  EXPECT_THAT(fed(store::kTaskChannel, "a-b"), ElementsAre("1/0 a-b", "2/0"));
  EXPECT_THAT(fed(store::kAllocationChannel, "3.a-b.1"), ElementsAre("0/0 3", "2/0", "5/3"));
  EXPECT_THAT(fed(store::kAllocationEndChannel, "a-b.1"), ElementsAre("1/0 a-b", "2/0"));
  EXPECT_THAT(fed(store::kQueueChannel, ""), ElementsAre("2/0"));
  EXPECT_THAT(fed(store::kSearcherChannel, "4 3"), ElementsAre("5/3"));
  EXPECT_THAT(fed(store::kLogChannel, "11 12"), ElementsAre("7/12"));
  EXPECT_THAT(fed(store::kLogChannel, ""), ElementsAre("7/12")) << "too many to name: all";
  for (const char* odd : {"", "e", "ex", "t7", "t7:", "tx:y", "zz", "e99999999999999999999"}) {
    EXPECT_THAT(fed(store::kLiveChannel, odd), IsEmpty()) << odd;
  }
}

TEST(LiveTopics, AreReadAsTheyAreWritten) {
  EXPECT_EQ(read_topic("queue")->kind, LiveKind::kQueue);
  EXPECT_EQ(read_topic("trial:7")->number, 7);
  EXPECT_EQ(read_topic("logs:3.a-b")->task_id, "3.a-b");
  for (const char* wrong : {"", "trial:", "trial:0", "trial:-1", "trial:7x", "experiment:99999999999999999999",
                            "logs:", "Experiments", "everything"}) {
    EXPECT_EQ(read_topic(wrong).error().code, ErrorCode::kInvalidArgument) << wrong;
  }
  EXPECT_FALSE(read_topic("logs:" + std::string(200, 'x')));
}

}  // namespace
}  // namespace det::api
