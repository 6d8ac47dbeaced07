#include "operator/gang/gang_state.h"

#include <algorithm>
#include <deque>

#include "operator/sentence.h"

namespace det::op {
namespace {

// The pods whose exits count, those that exist no more as they were last seen.
struct Counted {
  std::vector<const PodFacts*> pods;
  std::deque<PodFacts> last_seen;  // of those that exist no more
  std::set<int> gone;              // those of them that exist no more
  std::set<int> unknown;           // ranks that were made and of which nothing is known
};

Counted count(const std::vector<PodFacts>& pods, const GangExpectation& expected) {
  Counted counted;
  std::set<int> present;
  for (const PodFacts& pod : pods) {
    present.insert(pod.rank);
    if (!expected.daemons.contains(pod.rank)) counted.pods.push_back(&pod);
  }
  for (const int rank : expected.created) {
    if (present.contains(rank) || expected.daemons.contains(rank)) continue;
    const auto last = expected.gone.find(rank);
    if (last == expected.gone.end()) {
      counted.unknown.insert(rank);
      continue;
    }
    counted.last_seen.push_back(last->second);
    counted.last_seen.back().deletion_due = std::nullopt;  // its end was confirmed: it is not lost
    counted.pods.push_back(&counted.last_seen.back());
    counted.gone.insert(rank);
  }
  return counted;
}

RunExit vanished(int rank, const PodFacts* last) {
  RunExit exit{.kind = ExitClass::kInfrastructure, .code = std::nullopt, .reason = kPodVanished, .message = {}};
  if (last != nullptr && last->is_disrupted) {
    exit.message = with_detail("pod " + last->key.name + " was stopped by the cluster", last->disruption);
  } else {
    exit.message = "the pod of rank " + std::to_string(rank) + " was deleted without leaving an exit code";
  }
  return exit;
}

bool has_run(const PodFacts* pod) {
  return pod->main_is_running || (pod->exit_code && !pod->main_never_started);
}

// How each pod ended, those that have.
struct PodEnd {
  const PodFacts* pod = nullptr;  // null: nothing is known of it
  RunExit exit;
};

std::vector<PodEnd> ends_of(const Counted& counted, WallTime now) {
  std::vector<PodEnd> ends;
  for (const PodFacts* pod : counted.pods) {
    auto exit = exit_of_pod(*pod, now);
    // One that was last seen waiting may have run after that; one whose end was told has not.
    const bool may_have_run = !exit || (exit->never_ran && !pod->exit_code);
    if (counted.gone.contains(pod->rank) && may_have_run) exit = vanished(pod->rank, pod);
    if (exit) ends.push_back({pod, std::move(*exit)});
  }
  for (const int rank : counted.unknown) ends.push_back({nullptr, vanished(rank, nullptr)});
  return ends;
}

// The program's failure that came first; null: none failed.
const PodEnd* first_failure(const std::vector<PodEnd>& ends) {
  const PodEnd* first = nullptr;
  for (const PodEnd& end : ends) {
    if (end.exit.kind != ExitClass::kUserError) continue;
    const bool is_earlier = first != nullptr && end.pod->finished_at && first->pod->finished_at &&
                            *end.pod->finished_at < *first->pod->finished_at;
    if (first == nullptr || is_earlier) first = &end;
  }
  return first;
}

// Whether the cluster had begun to stop one pod when another's program failed. Where a time is missing, a disruption is
// taken for the cause, and a mere deletion for the consequence.
bool is_cause(const ClusterStop& stop, const PodFacts& failed) {
  if (!stop.at || !failed.finished_at) return !stop.is_deletion;
  return *stop.at <= *failed.finished_at;
}

// What the cluster did to one pod makes the programs of the others fail.
std::optional<RunExit> cause_of(const PodEnd& failure, const Counted& counted, WallTime now) {
  for (const PodFacts* pod : counted.pods) {
    if (pod == failure.pod) continue;
    auto stop = cluster_stop(*pod, now);
    if (!stop || !is_cause(*stop, *failure.pod)) continue;
    const bool has_ended = exit_of_pod(*pod, now).has_value();
    if (!has_ended) stop->exit.message += "; then " + failure.exit.message;
    return std::move(stop->exit);
  }
  if (!counted.unknown.empty()) return vanished(*counted.unknown.begin(), nullptr);
  return std::nullopt;
}

const PodEnd* find_end(const std::vector<PodEnd>& ends, ExitClass kind, bool never_ran) {
  const auto found = std::ranges::find_if(
      ends, [&](const PodEnd& end) { return end.exit.kind == kind && end.exit.never_ran == never_ran; });
  return found == ends.end() ? nullptr : &*found;
}

// Where every rank is a daemon, nothing else can end the gang: their exits count after all.
bool are_all_daemons(const GangExpectation& expected) {
  return static_cast<int>(expected.daemons.size()) >= expected.size;
}

// Why the gang is over, the cause before its consequences.
std::optional<RunExit> exit_of_gang(const std::vector<PodFacts>& pods, const GangExpectation& expected) {
  const Counted counted = count(pods, expected);
  const std::vector<PodEnd> ends = ends_of(counted, expected.now);
  if (const PodEnd* failure = first_failure(ends)) {
    auto cause = cause_of(*failure, counted, expected.now);
    return cause ? std::move(*cause) : failure->exit;
  }
  if (const PodEnd* end = find_end(ends, ExitClass::kInfrastructure, false)) return end->exit;
  if (const PodEnd* end = find_end(ends, ExitClass::kInvalidPod, true)) return end->exit;
  if (const PodEnd* end = find_end(ends, ExitClass::kInfrastructure, true)) {
    RunExit exit = end->exit;
    // It was ended before it began; the others of the gang may have begun.
    if (end->pod->main_never_started && std::ranges::any_of(counted.pods, has_run)) exit.never_ran = false;
    return exit;
  }
  const bool all_known = counted.pods.size() + expected.daemons.size() >= static_cast<std::size_t>(expected.size);
  if (all_known && ends.size() == counted.pods.size() && !ends.empty()) return ends.front().exit;
  return std::nullopt;
}

bool exists(const std::vector<PodFacts>& pods, int rank) {
  return std::ranges::any_of(pods, [rank](const PodFacts& pod) { return pod.rank == rank; });
}

// Pods that are still to be made. One that was made and is gone is not made again in the same run.
int missing(const std::vector<PodFacts>& pods, const GangExpectation& expected) {
  int missing = 0;
  for (int rank = 0; rank < expected.size; ++rank) {
    if (!exists(pods, rank) && !expected.created.contains(rank)) ++missing;
  }
  return missing;
}

// Ranks whose pods were there, and which the gang goes on without: what ended well or does not matter may be deleted.
int left_behind(const std::vector<PodFacts>& pods, const GangExpectation& expected) {
  return static_cast<int>(std::ranges::count_if(expected.created, [&](int rank) {
    return !exists(pods, rank) && (expected.gone.contains(rank) || expected.daemons.contains(rank));
  }));
}

model::AllocationState reached(const std::vector<PodFacts>& pods, const GangExpectation& expected) {
  using model::AllocationState;
  const int seen = static_cast<int>(pods.size()) + left_behind(pods, expected);
  if (pods.empty() || seen < expected.size) return AllocationState::kPending;
  bool scheduled = true;
  bool running = true;
  for (const PodFacts& pod : pods) {
    scheduled = scheduled && (pod.is_scheduled || !pod.node.empty());
    running = running && (pod.main_is_running || pod.exit_code.has_value());
  }
  if (running) return AllocationState::kRunning;
  return scheduled ? AllocationState::kStarting : AllocationState::kPending;
}

}  // namespace

GangState observe_gang(std::vector<PodFacts> pods, const GangExpectation& expected) {
  std::sort(pods.begin(), pods.end(), [](const PodFacts& a, const PodFacts& b) { return a.rank < b.rank; });
  GangState state;
  state.missing = missing(pods, expected);
  state.reached = reached(pods, expected);
  GangExpectation counting = expected;
  if (are_all_daemons(expected)) counting.daemons.clear();
  state.exit = exit_of_gang(pods, counting);
  for (const PodFacts& pod : pods) {
    if (is_alive(pod, expected.now)) ++state.alive;
    const auto next = next_verdict(pod, expected.now);
    if (next && (!state.look_again_at || *next < *state.look_again_at)) state.look_again_at = next;
    if (pod.running_since && (!state.all_running_since || *pod.running_since > *state.all_running_since)) {
      state.all_running_since = pod.running_since;
    }
    const bool is_failure = cannot_start(pod);
    const bool waits = !has_final_phase(pod) && !pod.main_is_running && state.waiting_reason.empty();
    // What one pod cannot do says more than that another is on its way.
    if (waits || (is_failure && !state.cannot_start)) {
      state.cannot_start = is_failure;
      state.waiting_reason = pod.waiting_reason;
      const std::string how = is_failure ? " cannot start (" + pod.waiting_reason + ")" : " waits";
      state.waiting_message = with_detail("pod " + pod.key.name + how, pod.waiting_message);
    }
  }
  if (state.reached == model::AllocationState::kRunning) {
    state.waiting_reason = state.waiting_message = {};
    state.cannot_start = false;
  } else {
    state.all_running_since = std::nullopt;
  }
  state.pods = std::move(pods);
  return state;
}

std::optional<WallTime> bind_deadline(const std::vector<PodFacts>& pods, std::optional<std::chrono::seconds> limit) {
  if (!limit) return std::nullopt;
  std::optional<WallTime> first;
  for (const PodFacts& pod : pods) {
    const auto since = pod.first_seen.pod ? pod.first_seen.pod : pod.created;
    if (since && (!first || *since < *first)) first = since;
  }
  if (!first) return std::nullopt;
  return *first + *limit;
}

}  // namespace det::op
