#include "scheduler/decide.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "scheduler/quota_room.h"
#include "scheduler/read_objects.h"
#include "scheduler/reserve.h"

namespace det::scheduler {
namespace {

bool is_before(const Gang* a, const Gang* b) {
  return std::tuple(!a->is_started(), -a->priority, a->place, a->order, std::string_view(a->name)) <
         std::tuple(!b->is_started(), -b->priority, b->place, b->order, std::string_view(b->name));
}

bool is_single(const Gang& gang) {
  return gang.size + gang.held == 1;
}

class Deciding {
 public:
  Deciding(const Snapshot& snapshot, const std::vector<Reservation>& previous, const DecideOptions& options)
      : snapshot_(snapshot),
        previous_(previous),
        options_(options),
        cluster_(snapshot),
        quotas_(snapshot),
        guarded_(cluster_.size()),
        is_resumed_(options.resume_at.empty()),
        has_unbound_(snapshot.has_unbound_gang) {}

  void look_at(const Gang& gang) {
    if (snapshot_.is_blind) return look_blindly(gang);
    if (gang.is_floating) return keep_room(gang);
    is_resumed_ = is_resumed_ || gang.name == options_.resume_at;
    if (!decision_.stopped_at.empty()) return leave_for_next(gang);
    // What failed for one fails for all that want the same: room only ever shrinks during a decision. One that wants
    // more of it fails as well, but says so with figures of its own. Rules of pods that come during the decision only
    // take more away.
    const std::optional<std::string> about = rules_about(gang);
    if (about && !gang.is_started()) {
      if (auto reason = known_failure(gang, *about)) {
        decision_.waiting.push_back({gang.name, std::move(reason)});
        return;
      }
    }
    // Those at the front are tried each time, the others in turn: else nobody behind would ever be.
    if (!is_resumed_ && tries_ >= options_.max_tries / 2) return pass_over(gang);
    if (++tries_ > options_.max_tries || static_cast<int>(decision_.admitted.size()) >= options_.max_admissions) {
      decision_.stopped_at = gang.name;
      return leave_for_next(gang);
    }
    try_to_start(gang);
    const bool is_waiting = !decision_.waiting.empty() && decision_.waiting.back().gang == gang.name;
    if (about && is_waiting) failed_[gang.shape_key + *about][gang.size] = decision_.waiting.back().reason;
  }

  Schedule finish() { return std::move(decision_); }

 private:
  // Nothing where gangs of its shape may fare differently.
  [[nodiscard]] std::optional<std::string> rules_about(const Gang& gang) const {
    if (!gang.shape->anti_affinity.empty()) return std::nullopt;
    return cluster_.rules_about(*gang.shape);
  }

  [[nodiscard]] std::shared_ptr<const WaitReason> known_failure(const Gang& gang, const std::string& about) const {
    const auto shape = failed_.find(gang.shape_key + about);
    if (shape == failed_.end()) return nullptr;
    const auto size = shape->second.find(gang.size);
    return size == shape->second.end() ? nullptr : size->second;
  }

  // What is kept for it stays kept.
  void leave_for_next(const Gang& gang) {
    decision_.is_unfinished = true;
    if (const Reservation* kept = previous_of(gang)) decision_.reservations.push_back(*kept);
    wait(gang, {.code = ReasonCode::kNotTried});
  }

  // Others behind it are tried.
  void pass_over(const Gang& gang) {
    decision_.is_unfinished = true;
    if (const Reservation* kept = previous_of(gang)) keep(*kept, gang);
    wait(gang, {.code = ReasonCode::kNotTried});
  }

  void try_to_start(const Gang& gang) {
    if (waits_for_quota(gang)) return;
    const auto size = static_cast<std::size_t>(gang.size);
    std::vector<NodeIndex> nodes;
    if (!gang.refused_by.empty()) nodes = place(cluster_, *gang.shape, gang.size, options_.place, gang.refused_by);
    if (nodes.size() != size) nodes = place(cluster_, *gang.shape, gang.size, options_.place);
    if (nodes.size() == size) return start(gang, nodes);
    wait_for_room(gang, static_cast<int>(nodes.size()));
  }

  // The first of a namespace to wait keeps what is left, as with nodes.
  bool waits_for_quota(const Gang& gang) {
    auto objection = quotas_.objection(*gang.shape, gang.size);
    if (!objection) return false;
    if (quotas_.could_ever_fit(*gang.shape, gang.size) && quota_is_kept_.insert(gang.shape->ns).second) {
      quotas_.take(*gang.shape, gang.size);
    }
    wait(gang, std::move(*objection));
    return true;
  }

  void start(const Gang& gang, const std::vector<NodeIndex>& nodes) {
    const std::vector<Want> wants = cluster_.wants(*gang.shape);
    Admitted admitted{.gang = gang.name};
    for (const NodeIndex node : nodes) {
      cluster_.take(node, wants, 1);
      cluster_.put(node, gang.shape);
      admitted.nodes.push_back(cluster_.node(node).name);
    }
    quotas_.take(*gang.shape, gang.size);
    decision_.admitted.push_back(std::move(admitted));
  }

  void wait_for_room(const Gang& gang, int found) {
    WaitReason reason = why_not(cluster_, *gang.shape, gang.size, found, reserved_for_);
    if (reason.code == ReasonCode::kClaimMissing) return wait(gang, std::move(reason));
    // Only the first gets a reservation; of the others it is enough to know whether one could be made.
    const bool is_first = is_first_there(gang);
    const auto reservation = is_first ? reserve(cluster_, gang, previous_of(gang)) : std::nullopt;
    const bool is_possible = is_first ? reservation.has_value() : could_ever_hold(cluster_, gang);
    if (!is_possible && reason.code == ReasonCode::kDoesNotFit) {
      reason = why_never(cluster_, *gang.shape, gang.size, std::move(reason));
    }
    const bool is_for_autoscaler = is_first && may_float(gang);
    if (is_first && reservation) keep(*reservation, gang);
    if ((is_first && reservation) || is_for_autoscaler) quotas_.take(*gang.shape, gang.size);
    if (!is_for_autoscaler) return wait(gang, std::move(reason));
    note_floating(gang);
    decision_.admitted.push_back({.gang = gang.name, .nodes = std::vector<std::string>(gang.size)});
  }

  // A gang of several alone: kube-scheduler would bind others between its pods, which then hold nodes for nothing.
  // Where it has to wait, those behind it do, or they would always be there.
  bool may_float(const Gang& gang) {
    if (!options_.admits_pending || has_floating_several_) return false;
    const std::string nodes = node_key(*gang.shape);
    const int singles = floating_singles_[nodes];
    const bool may = !is_held_back_.contains(nodes) && singles < (is_single(gang) ? options_.max_floating_singles : 1);
    if (!may) is_held_back_.insert(nodes);
    return may;
  }

  void note_floating(const Gang& gang) {
    if (is_single(gang)) {
      ++floating_singles_[node_key(*gang.shape)];
    } else {
      has_floating_several_ = true;
    }
  }

  // Its pods wait for an autoscaler and may be bound anywhere that fits.
  void keep_room(const Gang& gang) {
    note_floating(gang);
    // More than we begin: of an operator that was set up otherwise.
    if (is_single(gang) && floating_singles_[node_key(*gang.shape)] > options_.max_floating_singles) return;
    const std::vector<NodeIndex> nodes = place(cluster_, *gang.shape, gang.size, options_.place);
    if (static_cast<int>(nodes.size()) < gang.size) {
      if (const auto reservation = reserve(cluster_, gang, previous_of(gang))) return keep(*reservation, gang);
    }
    // The nodes that have come so far, too: kube-scheduler is about to fill them while the autoscaler makes the rest.
    const std::vector<Want> wants = cluster_.wants(*gang.shape);
    for (const NodeIndex node : nodes) {
      cluster_.take(node, wants, 1);
      cluster_.put(node, gang.shape);
    }
  }

  // Nodes are unknown: pods of a single-pod gang cannot wait for each other; gangs of several go one at a time.
  void look_blindly(const Gang& gang) {
    if (gang.is_floating) return;
    if (waits_for_quota(gang)) return;
    const bool is_several = gang.size + gang.held > 1;
    if (is_several && has_unbound_ && !gang.is_started()) return wait(gang, {.code = ReasonCode::kOtherUnbound});
    has_unbound_ = has_unbound_ || is_several;
    quotas_.take(*gang.shape, gang.size);
    decision_.admitted.push_back({.gang = gang.name, .nodes = std::vector<std::string>(gang.size)});
  }

  // Only the first gang that wants any of these nodes.
  bool is_first_there(const Gang& gang) {
    const auto& nodes = cluster_.eligible(*gang.shape).nodes;
    return std::ranges::none_of(nodes, [&](NodeIndex node) { return guarded_[node] != 0; });
  }

  void keep(const Reservation& reservation, const Gang& gang) {
    const std::vector<Want> wants = cluster_.wants(*gang.shape);
    reserved_for_.resize(cluster_.size());
    // Single pods may wait for an autoscaler together.
    if (!gang.is_floating || !is_single(gang)) {
      for (const NodeIndex node : cluster_.eligible(*gang.shape).nodes) guarded_[node] = 1;
    }
    for (const auto& [name, pods] : reservation.pods) {
      const auto node = cluster_.find(name);
      if (!node) continue;
      cluster_.keep(*node, wants, pods);
      cluster_.put(*node, gang.shape);
      reserved_for_[*node] = gang.name;
    }
    decision_.reservations.push_back(reservation);
  }

  [[nodiscard]] const Reservation* previous_of(const Gang& gang) const {
    const auto found = std::ranges::find(previous_, gang.name, &Reservation::gang);
    return found == previous_.end() ? nullptr : &*found;
  }

  void wait(const Gang& gang, WaitReason reason) {
    decision_.waiting.push_back({gang.name, std::make_shared<const WaitReason>(std::move(reason))});
  }

  const Snapshot& snapshot_;
  const std::vector<Reservation>& previous_;
  const DecideOptions& options_;
  Cluster cluster_;
  QuotaRoom quotas_;
  Schedule decision_;
  std::vector<char> guarded_;              // by node: somebody who waits could use it
  std::vector<std::string> reserved_for_;  // by node; empty while there is no reservation
  std::set<std::string> quota_is_kept_;    // namespaces
  std::unordered_map<std::string, std::map<int, std::shared_ptr<const WaitReason>>> failed_;  // by shape, by size
  bool is_resumed_;  // the gang that the last decision stopped at was reached
  bool has_unbound_;
  bool has_floating_several_ = false;
  std::unordered_map<std::string, int> floating_singles_;  // by node_key
  std::set<std::string> is_held_back_;                     // by node_key: who waits there may not float yet
  int tries_ = 0;
};

}  // namespace

Schedule decide(const Snapshot& snapshot, const std::vector<Gang>& gangs, const std::vector<Reservation>& previous,
                const DecideOptions& options) {
  std::vector<const Gang*> queue;
  queue.reserve(gangs.size());
  for (const Gang& gang : gangs) queue.push_back(&gang);
  std::ranges::sort(queue, is_before);
  DecideOptions used = options;
  // It is not waiting any more: all of them are tried from the front.
  if (std::ranges::find(gangs, used.resume_at, &Gang::name) == gangs.end()) used.resume_at.clear();
  Deciding deciding(snapshot, previous, used);
  for (const Gang* gang : queue) deciding.look_at(*gang);
  return deciding.finish();
}

}  // namespace det::scheduler
