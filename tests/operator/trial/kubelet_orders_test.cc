// Plays every order in which a kubelet tells how pods end against gang_state and run_decision, looking at every
// subset of its moments, and holds what must be so whatever was seen.

#include "tests/operator/trial/kubelet_orders.h"

#include <algorithm>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "operator/gang/gang_state.h"
#include "operator/gang/run_decision.h"

namespace det::op {
namespace {

using nlohmann::json;
using test::kubelet_orders;
using test::new_pod;
using test::Order;
using test::Step;

constexpr std::chrono::seconds kGrace{15};
constexpr std::chrono::seconds kLong{3600};
const WallTime kStart = *parse_rfc3339("2026-11-21T12:00:00Z");

// What the reconciler would do, without effects outside of this world.
class World {
 public:
  World(std::vector<const Order*> orders, bool watch_sees_all) : watch_sees_all_(watch_sees_all) {
    for (std::size_t rank = 0; rank < orders.size(); ++rank) {
      Played played{.pod = new_pod(static_cast<int>(rank), orders[rank]->starts_pending, kStart),
                    .seen = {},
                    .steps = orders[rank]->steps};
      pods_.push_back(std::move(played));
    }
    look();
  }

  [[nodiscard]] bool has_step(std::size_t rank) const { return pods_[rank].next < pods_[rank].steps.size(); }
  [[nodiscard]] bool has_steps() const {
    for (std::size_t rank = 0; rank < pods_.size(); ++rank) {
      if (has_step(rank)) return true;
    }
    return false;
  }

  // The next thing that the API shows of one pod, a second later.
  void show(std::size_t rank) {
    Played& played = pods_[rank];
    now_ += std::chrono::seconds(1);
    if (watch_sees_all_) note(played);
    const Step step = played.steps[played.next++];
    if (!played.pod.is_null()) step(played.pod, now_);
  }

  void pass(std::chrono::seconds time) { now_ += time; }

  // One reconcile.
  void look() {
    for (int i = 0; i < 10 && !end_; ++i) {
      const RunFacts facts = gather();
      const RunDecision decision = decide_run(facts, now_);
      switch (decision.step) {
        case RunStep::kRecordVerdict:
          ASSERT_FALSE(verdict_) << "a second verdict: " << decision.verdict->message;
          verdict_ = decision.verdict;
          break;
        case RunStep::kDeletePods:
          EXPECT_TRUE(verdict_) << "pods are deleted before it is written why";
          remove_pods();
          return;
        case RunStep::kEndRun:
        case RunStep::kFinish:
          if (verdict_) EXPECT_EQ(facts.gang.exit, verdict_);
          end_ = decision;
          exit_ = facts.gang.exit;
          break;
        case RunStep::kCreatePods:
        case RunStep::kStartRun:
        case RunStep::kRequestPreemption:
          FAIL() << "step " << static_cast<int>(decision.step);
        case RunStep::kWait:
        case RunStep::kRest:
          return;
      }
    }
  }

  [[nodiscard]] const std::optional<RunDecision>& end() const { return end_; }
  [[nodiscard]] const std::optional<RunExit>& exit() const { return exit_; }
  [[nodiscard]] int alive() { return gather().gang.alive; }

 private:
  struct Played {
    json pod;
    json seen;  // last state that reached the operator
    std::vector<Step> steps;
    std::size_t next = 0;
  };

  static void note(Played& played) {
    if (!played.pod.is_null()) played.seen = played.pod;
  }

  RunFacts gather() {
    GangExpectation expected{
        .size = static_cast<int>(pods_.size()), .created = {}, .daemons = {}, .now = now_, .gone = {}};
    std::vector<PodFacts> pods;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      const int rank = static_cast<int>(i);
      Played& played = pods_[i];
      expected.created.insert(rank);
      if (!played.pod.is_null()) {
        note(played);
        pods.push_back(view_pod(played.pod));
      } else if (watch_sees_all_ && !played.seen.is_null()) {
        expected.gone.emplace(rank, view_pod(played.seen));
      }
    }
    RunFacts facts;
    facts.run = 1;
    facts.run_is_open = true;
    facts.is_ready = true;
    facts.max_restarts = 1;
    facts.gang = observe_gang(std::move(pods), expected);
    facts.has_verdict = verdict_.has_value();
    if (verdict_) facts.gang.exit = verdict_;
    return facts;
  }

  void remove_pods() {
    for (Played& played : pods_) {
      if (played.pod.is_null()) continue;
      const PodFacts facts = view_pod(played.pod);
      if (facts.deleting || !is_alive(facts, now_)) continue;
      played.steps = test::removal(played.pod, now_, kGrace);
      played.next = 0;
    }
  }

  bool watch_sees_all_;
  WallTime now_ = kStart;
  std::vector<Played> pods_;
  std::optional<RunExit> verdict_;
  std::optional<RunDecision> end_;
  std::optional<RunExit> exit_;
};

// Lets everything that is still to come happen, with a look at each moment.
void play_out(World& world, std::size_t pods) {
  for (int i = 0; i < 100 && !world.end(); ++i) {
    bool showed = false;
    for (std::size_t rank = 0; rank < pods; ++rank) {
      if (!world.has_step(rank)) continue;
      world.show(rank);
      world.look();
      showed = true;
    }
    if (!showed) world.pass(kLong);
    world.look();
  }
}

Counts counts_of(model::ExitClass kind) {
  if (kind == model::ExitClass::kUserError) return Counts::kRestart;
  return kind == model::ExitClass::kInfrastructure ? Counts::kInfraRestart : Counts::kNothing;
}

// `mask`: after which of its steps the operator looks.
void play_one(const Order& order, unsigned mask, bool watch_sees_all) {
  SCOPED_TRACE(std::string(order.name) + ", seen at " + std::to_string(mask) +
               (watch_sees_all ? "" : ", after a restart of the operator"));
  World world({&order}, watch_sees_all);
  for (unsigned i = 0; world.has_step(0) && !world.end(); ++i) {
    world.show(0);
    if ((mask >> i & 1U) != 0) world.look();
  }
  play_out(world, 1);
  ASSERT_TRUE(world.end());
  ASSERT_TRUE(world.exit());
  // A pod that went unseen has taken what it said along.
  const bool is_unseen = !watch_sees_all && world.exit()->reason == kPodVanished;
  const auto expected = is_unseen ? model::ExitClass::kInfrastructure : order.expected;
  EXPECT_EQ(world.exit()->kind, expected) << world.exit()->message;
  const bool is_forgotten = world.exit()->reason == kPodVanished && order.expected == ExitClass::kInfrastructure;
  if (!is_unseen && !is_forgotten) EXPECT_EQ(world.exit()->reason, order.reason) << world.exit()->message;
  EXPECT_EQ(world.end()->counts, counts_of(expected));
  EXPECT_EQ(world.end()->step == RunStep::kFinish,
            expected == ExitClass::kSuccess || expected == ExitClass::kInvalidPod);
}

TEST(KubeletOrders, EachMeansTheSameAtWhateverMomentsItIsSeen) {
  int plays = 0;
  for (const Order& order : kubelet_orders()) {
    const unsigned masks = 1U << order.steps.size();
    for (unsigned mask = 0; mask < masks; ++mask) {
      play_one(order, mask, true);
      play_one(order, mask, false);
      plays += 2;
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(plays, 500);
}

bool may_be(const Order& order, model::ExitClass kind) {
  return order.expected == kind;
}

// Two pods, each with an order of its own, woven together at random.
void play_two(const Order& first, const Order& second, std::mt19937& random, bool watch_sees_all) {
  SCOPED_TRACE(std::string(first.name) + " | " + second.name);
  World world({&first, &second}, watch_sees_all);
  while (world.has_steps() && !world.end()) {
    const std::size_t rank = random() % 2;
    if (!world.has_step(rank)) continue;
    world.show(rank);
    if (random() % 2 == 0) world.look();
  }
  play_out(world, 2);
  ASSERT_TRUE(world.end());
  ASSERT_TRUE(world.exit());
  const model::ExitClass kind = world.exit()->kind;
  const bool both_succeed = may_be(first, ExitClass::kSuccess) && may_be(second, ExitClass::kSuccess);
  const bool is_unseen = !watch_sees_all && world.exit()->reason == kPodVanished;
  const bool is_silent = world.exit()->reason == "NodeNotReady";  // seen while a node was not heard
  EXPECT_TRUE(is_unseen || is_silent || kind == first.expected || kind == second.expected) << world.exit()->message;
  if (kind == ExitClass::kSuccess) EXPECT_TRUE(both_succeed) << "half a gang succeeded";
  EXPECT_EQ(world.end()->counts, counts_of(kind));
  if (!world.exit()->never_ran) EXPECT_EQ(world.alive(), 0) << "the run ended before its pods";
}

TEST(KubeletOrders, AGangEndsOnceAndForAReasonThatOneOfItsPodsGave) {
  std::mt19937 random(13);
  const auto& orders = kubelet_orders();
  for (std::size_t first = 0; first < orders.size(); ++first) {
    for (std::size_t second = first; second < orders.size(); ++second) {
      play_two(orders[first], orders[second], random, (first + second) % 2 == 0);
      if (testing::Test::HasFailure()) return;
    }
  }
}

const Order& order_named(std::string_view name) {
  const auto& orders = kubelet_orders();
  return *std::ranges::find_if(orders, [name](const Order& order) { return order.name == name; });
}

// Shows the steps of two pods in the given order of ranks, then lets the operator look for the first time.
RunExit exit_after(const char* first, const char* second, const std::vector<std::size_t>& ranks) {
  World world({&order_named(first), &order_named(second)}, true);
  for (const std::size_t rank : ranks) world.show(rank);
  world.look();
  play_out(world, 2);
  return world.exit().value_or(RunExit{});
}

TEST(KubeletOrders, ADrainIsTheCauseOfThePeersFailureThatFollows) {
  const RunExit exit = exit_after("drained", "exit 3, the phase follows", {0, 0, 1});
  EXPECT_EQ(exit.kind, ExitClass::kInfrastructure);
  EXPECT_EQ(exit.message,
            "pod t-1-0 was stopped by the cluster (Disrupted): EvictionByEvictionAPI; then resources failed with "
            "non-zero exit code: pod t-1-1 (exit code 3)");
}

TEST(KubeletOrders, AFailureIsTheCauseOfItselfWhenTheDrainCameLater) {
  const RunExit exit = exit_after("drained", "exit 3, the phase follows", {1, 0, 0, 0});
  EXPECT_EQ(exit.kind, ExitClass::kUserError);
  EXPECT_EQ(exit.message, "resources failed with non-zero exit code: pod t-1-1 (exit code 3)");
}

TEST(KubeletOrders, APeerThatFailsWhenANodeFellSilentIsNotTheProgramsFault) {
  const RunExit exit = exit_after("its node falls silent and is tainted", "exit 3, the phase follows", {0, 1});
  EXPECT_EQ(exit.kind, ExitClass::kInfrastructure);
  EXPECT_EQ(exit.reason, "NodeNotReady");
}

TEST(KubeletOrders, APodThatEndedByItselfIsNotDeletedUnlessItsPhaseNeverComes) {
  json pod = new_pod(0, false, kStart);
  for (const Step& step : {order_named("exit 3, the phase never comes").steps.front()}) step(pod, kStart);
  EXPECT_FALSE(is_alive(view_pod(pod), kStart));
  EXPECT_EQ(next_verdict(view_pod(pod), kStart), kStart + kPhasePatience);
  EXPECT_TRUE(is_alive(view_pod(pod), kStart + kPhasePatience));
}

// An operator of an older version deleted the pods before it wrote anything down.
TEST(KubeletOrders, AnOlderOperatorsDeletionDoesNotHideAnEarlierExit) {
  const Order& order = order_named("exit 3, then deleted by somebody");
  for (std::size_t seen = 1; seen <= order.steps.size(); ++seen) {
    World world({&order}, true);
    for (std::size_t i = 0; i < seen; ++i) world.show(0);
    world.look();
    ASSERT_TRUE(world.exit());
    EXPECT_EQ(world.exit()->code, 3) << seen;
  }
}

}  // namespace
}  // namespace det::op
