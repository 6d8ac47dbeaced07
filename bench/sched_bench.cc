// sched_bench [NODES [PENDING]]: how long one scheduling decision takes, on a cluster that is full but for a tenth.
// Three queues: all gangs alike, every gang different (the worst case: nothing that was found out for one serves
// another), and that beside one pod with anti-affinity, as every cluster has some. One JSON line per queue; cpu_ms is
// the thread's CPU time, which other programs on the machine disturb less.

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "scheduler/decide.h"
#include "scheduler/read_objects.h"

namespace {

using namespace det::scheduler;

constexpr int kRounds = 60;

std::shared_ptr<const PodShape> shape(std::int64_t gpus, std::int64_t cpu_milli) {
  PodShape shape;
  shape.ns = "default";
  shape.requests = {{"cpu", cpu_milli}, {"memory", 64LL * 1000 << 30}, {"nvidia.com/gpu", gpus * 1000}, {"pods", 1000}};
  shape.node_selector = {{"kubernetes.io/os", "linux"}};
  return std::make_shared<const PodShape>(std::move(shape));
}

// A replica that keeps away from others of its kind.
std::shared_ptr<const PodShape> lonely() {
  PodShape alone = *shape(0, 100);
  alone.labels = {{"app", "dns"}};
  AntiAffinity rule;
  rule.topology_key = "kubernetes.io/hostname";
  rule.selector.equal = alone.labels;
  alone.anti_affinity.push_back(std::move(rule));
  return std::make_shared<const PodShape>(std::move(alone));
}

struct World {
  std::deque<Node> nodes;
  std::deque<Pod> pods;
  std::vector<Gang> gangs;

  World(int node_count, int gang_count, bool all_differ, bool has_anti_affinity) {
    std::mt19937 random(7);
    for (int i = 0; i < node_count; ++i) {
      Node& node = nodes.emplace_back();
      node.name = "node-" + std::to_string(i);
      node.ready = true;
      node.labels = {{"kubernetes.io/hostname", node.name},
                     {"kubernetes.io/os", "linux"},
                     {"topology.kubernetes.io/rack", "r" + std::to_string(i / 16)},
                     {"topology.kubernetes.io/zone", "z" + std::to_string(i % 3)}};
      node.allocatable = {{"cpu", 96'000},
                          {"memory", 1024LL * 1000 << 30},
                          {"ephemeral-storage", 1LL << 50},
                          {"nvidia.com/gpu", 8'000},
                          {"rdma/ib", 1'000},
                          {"pods", 110'000}};
      // Nine nodes of ten are full; each has a few system pods.
      for (int p = 0; p < 10; ++p) {
        Pod& pod = pods.emplace_back();
        pod.ns = "x";
        pod.name = std::to_string(pods.size());
        pod.node = node.name;
        pod.shape = p == 0 && i % 10 != 0 ? shape(8, 64'000) : shape(0, 100);
      }
    }
    if (has_anti_affinity) pods.front().shape = lonely();
    for (int i = 0; i < gang_count; ++i) {
      Gang& gang = gangs.emplace_back();
      gang.name = "gang-" + std::to_string(i);
      gang.order = i;
      gang.size = 1 + static_cast<int>(random() % 8);
      gang.shape = shape(8, all_differ ? 1000 + i : 8000);
      gang.shape_key = shape_key(*gang.shape);
    }
  }
  [[nodiscard]] Snapshot snapshot() const {
    Snapshot snapshot;
    for (const Node& node : nodes) snapshot.nodes.push_back(&node);
    for (const Pod& pod : pods) snapshot.pods.push_back(&pod);
    return snapshot;
  }
};

double cpu_millis() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

double percentile(const std::vector<double>& sorted, std::size_t percent) {
  return sorted[sorted.size() * percent / 100];
}

void measure(const char* queue, int nodes, int pending, bool all_differ, bool has_anti_affinity) {
  const World world(nodes, pending, all_differ, has_anti_affinity);
  const Snapshot snapshot = world.snapshot();
  std::vector<double> millis;
  std::vector<double> cpu;
  std::vector<Reservation> reservations;
  std::size_t admitted = 0;
  for (int i = 0; i < kRounds; ++i) {
    const double cpu_start = cpu_millis();
    const auto start = std::chrono::steady_clock::now();
    const Schedule decision = decide(snapshot, world.gangs, reservations, {});
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    millis.push_back(took.count());
    cpu.push_back(cpu_millis() - cpu_start);
    reservations = decision.reservations;
    admitted = decision.admitted.size();
  }
  std::ranges::sort(millis);
  std::ranges::sort(cpu);
  std::printf(
      "{\"queue\": \"%s\", \"nodes\": %d, \"pods\": %zu, \"pending\": %d, \"admitted\": %zu, \"p50_ms\": %.2f, "
      "\"p99_ms\": %.2f, \"cpu_p50_ms\": %.2f, \"cpu_p99_ms\": %.2f}\n",
      queue, nodes, world.pods.size(), pending, admitted, percentile(millis, 50), percentile(millis, 99),
      percentile(cpu, 50), percentile(cpu, 99));
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 1000;
  const int pending = argc > 2 ? std::atoi(argv[2]) : 10'000;
  measure("alike", nodes, pending, false, false);
  measure("all different", nodes, pending, true, false);
  measure("all different, one anti-affinity", nodes, pending, true, true);
}
