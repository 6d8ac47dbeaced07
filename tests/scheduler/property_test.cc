// Random clusters and queues, played forward in time. DET_SCHEDULER_CASES sets how many (the full count is 100000).

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>

#include <gtest/gtest.h>

#include "tests/scheduler/fixture.h"

namespace det::scheduler {
namespace {

constexpr int kUsualCases = 60;
constexpr int kGangs = 16;  // in one world
constexpr std::int64_t kNever = 1'000'000'000;

int cases() {
  const char* wanted = std::getenv("DET_SCHEDULER_CASES");
  return wanted == nullptr ? kUsualCases : std::atoi(wanted);
}

struct Running {
  std::string gang;
  std::int64_t ends_at = 0;
  std::vector<std::string> nodes;
  std::shared_ptr<const PodShape> shape;
};

// A world in which gangs come, run for a time that the scheduler does not know, and go.
class World {
 public:
  explicit World(std::uint32_t seed) : random_(seed) { build(); }

  void play() {
    for (now_ = 0; now_ < 400 && !HasFatalFailure(); ++now_) {
      std::erase_if(running_, [&](const Running& each) { return each.ends_at <= now_; });
      arrive();
      // A decision that stopped at its limit is gone on with at once.
      for (int i = 0; i < 50 && decide(); ++i) {
      }
      if (next_ == kGangs && running_.empty()) break;
    }
    EXPECT_TRUE(only_hopeless_left()) << "a gang that fits the empty cluster never ran";
  }

 private:
  static bool HasFatalFailure() { return ::testing::Test::HasFatalFailure(); }
  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  void build() {
    const int count = pick(1, 8);
    for (int i = 0; i < count; ++i) {
      Node& node = cluster_.add_node("n" + std::to_string(i), pick(0, 3) * 4, pick(2, 16));
      node.labels["class"] = pick(0, 1) == 0 ? "A" : "B";
      node.labels["topology.kubernetes.io/zone"] = std::to_string(pick(0, 2));
      if (pick(0, 9) == 0) node.taints.push_back({.key = "t", .value = "", .effect = "NoSchedule"});
    }
    if (pick(0, 3) == 0) {
      Pod& daemon = cluster_.add_pod("n0", 0, "daemon");
      daemon.is_permanent = true;
    }
    if (pick(0, 3) == 0) limit_ = pick(4, 30) * 1000;
    cluster_.options.max_admissions = pick(1, 8);
    cluster_.options.max_tries = 1000;
  }

  PodShape random_shape() {
    PodShape shape = *TestCluster::shape(pick(0, 8), pick(1, 8) * 500);
    if (pick(0, 3) == 0) shape.node_selector["class"] = pick(0, 1) == 0 ? "A" : "B";
    if (pick(0, 4) == 0) shape.tolerations.push_back({.key = "t", .exists = true});
    if (pick(0, 5) == 0) {
      shape.labels["app"] = "x";
      AntiAffinity rule;
      rule.topology_key = pick(0, 1) == 0 ? "kubernetes.io/hostname" : "topology.kubernetes.io/zone";
      rule.selector.equal["app"] = "x";
      shape.anti_affinity.push_back(rule);
    }
    return shape;
  }

  void arrive() {
    while (next_ < kGangs && pick(0, 2) > 0) {
      cluster_.gangs.clear();
      Gang gang = cluster_.add_gang("g" + std::to_string(next_), pick(1, 5), random_shape(), pick(0, 4) == 0 ? 60 : 50);
      gang.order = next_++;
      waiting_.push_back(std::move(gang));
    }
  }

  Snapshot snapshot() {
    pods_.clear();
    quota_ = {.ns = "default", .name = "q", .hard = {{"requests.nvidia.com/gpu", limit_}}};
    for (const Pod& pod : cluster_.pods) pods_.push_back(pod);
    for (const Running& each : running_) {
      for (std::size_t i = 0; i < each.nodes.size(); ++i) {
        pods_.push_back({.ns = "default", .name = each.gang + std::to_string(i), .node = each.nodes[i]});
        pods_.back().shape = each.shape;
        quota_.used["requests.nvidia.com/gpu"] += amount(*each.shape, "nvidia.com/gpu");
      }
    }
    Snapshot snapshot = cluster_.snapshot();
    snapshot.pods.clear();
    for (const Pod& pod : pods_) snapshot.pods.push_back(&pod);
    if (limit_ > 0) snapshot.quotas = {&quota_};
    return snapshot;
  }

  static std::int64_t amount(const PodShape& shape, const std::string& resource) {
    const auto found = shape.requests.find(resource);
    return found == shape.requests.end() ? 0 : found->second;
  }

  // True when there is more to decide.
  bool decide() {
    const Snapshot before = snapshot();
    const Schedule decision = scheduler::decide(before, waiting_, reservations_, cluster_.options);
    std::ranges::shuffle(waiting_, random_);
    const Schedule again = scheduler::decide(snapshot(), waiting_, reservations_, cluster_.options);
    EXPECT_EQ(decision.admitted, again.admitted) << "the same input in another order";
    EXPECT_EQ(decision.reservations, again.reservations);
    EXPECT_EQ(decision.admitted.size() + decision.waiting.size(), waiting_.size()) << "every gang gets an answer";
    for (const Admitted& each : decision.admitted) start(each);
    reservations_ = decision.reservations;
    // A gang of a higher rank may take over the head's place at any time: that is no backfill.
    std::erase_if(promised_, [&](const auto& promise) {
      return std::ranges::find(reservations_, promise.first, &Reservation::gang) == reservations_.end();
    });
    for (const Reservation& each : reservations_) note_promise(each);
    check_capacity();
    return decision.is_unfinished && !decision.admitted.empty();
  }

  void start(const Admitted& admitted) {
    const auto gang = std::ranges::find(waiting_, admitted.gang, &Gang::name);
    ASSERT_NE(gang, waiting_.end()) << "only what waits can start, and once";
    ASSERT_EQ(static_cast<int>(admitted.nodes.size()), gang->size) << "never half a gang";
    const auto promise = promised_.find(admitted.gang);
    if (promise != promised_.end()) {
      EXPECT_LE(now_, promise->second) << admitted.gang << " was delayed past its reservation";
    }
    std::erase_if(promised_, [&](const auto& each) { return is_behind(each.first, *gang); });
    running_.push_back(
        {.gang = admitted.gang, .ends_at = now_ + pick(1, 12), .nodes = admitted.nodes, .shape = gang->shape});
    waiting_.erase(gang);
  }

  bool is_behind(const std::string& name, const Gang& gang) {
    const auto other = std::ranges::find(waiting_, name, &Gang::name);
    return other == waiting_.end() || std::pair(-other->priority, other->order) > std::pair(-gang.priority, gang.order);
  }

  // When the reserved nodes have room if nothing else is started there: a gang with a reservation starts by then,
  // unless one of a higher rank comes between. The earliest promise counts.
  void note_promise(const Reservation& reservation) {
    if (promised_.contains(reservation.gang) || next_ < kGangs || limit_ > 0) return;
    const auto gang = std::ranges::find(waiting_, reservation.gang, &Gang::name);
    if (gang == waiting_.end() || !gang->shape->anti_affinity.empty()) return;
    std::int64_t at = now_;
    for (const auto& [name, pods] : reservation.pods) at = std::max(at, free_at(name, *gang->shape, pods));
    promised_[reservation.gang] = at;
  }

  std::int64_t free_at(const std::string& name, const PodShape& shape, int pods) {
    std::vector<std::int64_t> times = {now_};
    for (const Running& each : running_) times.push_back(each.ends_at);
    std::ranges::sort(times);
    for (const std::int64_t time : times) {
      if (fits_at(name, shape, pods, time)) return time;
    }
    return kNever;
  }

  bool fits_at(const std::string& name, const PodShape& shape, int pods, std::int64_t time) {
    const auto node = std::ranges::find(cluster_.nodes, name, &Node::name);
    for (const auto& [resource, wanted] : shape.requests) {
      const auto offered = node->allocatable.find(resource);
      std::int64_t left = offered == node->allocatable.end() ? 0 : offered->second;
      for (const Pod& pod : cluster_.pods) left -= pod.node == name ? amount(*pod.shape, resource) : 0;
      for (const Running& each : running_) {
        if (each.ends_at > time) left -= std::ranges::count(each.nodes, name) * amount(*each.shape, resource);
      }
      if (wanted * pods > left) return false;
    }
    return true;
  }

  void check_capacity() {
    for (const Node& node : cluster_.nodes) {
      for (const auto& [resource, offered] : node.allocatable) {
        std::int64_t used = 0;
        for (const Pod& pod : cluster_.pods) used += pod.node == node.name ? amount(*pod.shape, resource) : 0;
        for (const Running& each : running_) {
          used += std::ranges::count(each.nodes, node.name) * amount(*each.shape, resource);
        }
        ASSERT_LE(used, offered) << resource << " of " << node.name;
      }
    }
    if (limit_ == 0) return;
    std::int64_t used = 0;
    for (const Running& each : running_) {
      used += amount(*each.shape, "nvidia.com/gpu") * static_cast<std::int64_t>(each.nodes.size());
    }
    ASSERT_LE(used, limit_) << "quota";
  }

  bool only_hopeless_left() {
    running_.clear();
    const Schedule decision = scheduler::decide(snapshot(), waiting_, {}, cluster_.options);
    return decision.admitted.empty();
  }

  std::mt19937 random_;
  TestCluster cluster_;
  std::deque<Pod> pods_;
  Quota quota_;
  std::int64_t limit_ = 0;  // of GPUs, by a quota; 0: none
  std::vector<Gang> waiting_;
  std::vector<Running> running_;
  std::vector<Reservation> reservations_;
  std::map<std::string, std::int64_t> promised_;
  std::int64_t now_ = 0;
  int next_ = 0;
};

TEST(SchedulerProperties, HoldInRandomWorlds) {
  const int count = cases();
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    World(static_cast<std::uint32_t>(seed)).play();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace det::scheduler
