#include "operator/gang/own_backend.h"

#include <algorithm>

#include "base/at_once.h"
#include "base/json_get.h"
#include "scheduler/read_objects.h"

namespace det::op {
namespace {

using nlohmann::json;

// Events come in bursts; one decision answers a burst.
constexpr std::chrono::milliseconds kBetweenDecisions{20};
constexpr std::chrono::milliseconds kPollReady{50};
constexpr std::chrono::milliseconds kSettling{200};
constexpr int kMaxSettling = 25;
// A queue that one decision does not get through is gone on with, beside other work.
constexpr std::chrono::milliseconds kBetweenParts{100};
// A trial asks and mostly gets its answer in the same reconcile.
constexpr std::chrono::milliseconds kDecisionTakes{500};
// Numbers in a reason move all the time; people are shown them so often, or less often where many wait: each telling is
// a reconcile and a write.
constexpr std::chrono::seconds kBetweenTellings{10};
constexpr std::size_t kTellingsInASecond = 20;
constexpr std::chrono::seconds kSeenWithin{30};
constexpr std::chrono::hours kLong{1};
// Of one gang; several gangs are made at a time.
constexpr std::size_t kPodsAtOnce = 8;

std::string name_of(const json& pod) {
  return get_string(get_any(pod, "metadata"), "name");
}

// Whether an object may have been made although the answer is an error. Admission stands before storage, and this is
// how the API server says that it stopped there.
bool is_in_doubt(const Error& error) {
  if (error.code != ErrorCode::kUnavailable && error.code != ErrorCode::kDeadlineExceeded) return false;
  return !error.message.contains("failed calling webhook");
}

// Of all that wait in the cluster: two namespaces may have tasks of one name.
std::string name_in_cluster(const GangRequest& gang) {
  return gang.owner.key.ns + "/" + gang.name;
}

scheduler::DecideOptions decide_options(const model::SchedulerConfig& config) {
  scheduler::DecideOptions options;
  if (!config.topology.empty()) options.place.topology = config.topology;
  options.admits_pending = config.scale_up_by_pending_pods;
  return options;
}

}  // namespace

OwnBackend::OwnBackend(asio::any_io_executor executor, k8s::Client& client, Clock& clock, OwnBackendOptions options,
                       WakeOwner wake_owner)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      deciding_(decide_options(options_.config)),
      wake_owner_(std::move(wake_owner)),
      changed_(executor),
      decided_(executor),
      watch_(executor, client, clock, options_.ns, options_.managed_by, [this] { changed_.notify_all(); }),
      preview_(executor, client, clock) {}

std::optional<std::chrono::seconds> OwnBackend::bind_timeout(int pods) const {
  // It holds nothing while it waits, and would only lose its turn: kube-scheduler alone knows when there is room.
  if (watch_.is_blind() && pods == 1) return std::nullopt;
  // New nodes take longer to come than a pod to be bound.
  if (options_.config.scale_up_by_pending_pods) {
    return std::max(options_.config.bind_timeout, options_.config.scale_up_timeout);
  }
  return options_.config.bind_timeout;
}

Task<Result<std::optional<GangWait>>> OwnBackend::create(GangRequest gang) {
  const std::string key = to_string(gang.owner);
  scheduler::PodShape wanted = co_await preview_.shape_of(gang.pods.front());
  enqueue(gang, std::move(wanted));
  co_await wait_for_decision(key);
  const auto found = entries_.find(key);
  if (found == entries_.end()) co_return fail(ErrorCode::kAborted, "the gang was withdrawn meanwhile");
  if (found->second.state == State::kWaiting) {
    found->second.told_reason = found->second.reason;
    co_return wait_of(found->second);
  }
  co_return co_await create_placed(std::move(gang));
}

void OwnBackend::enqueue(const GangRequest& gang, scheduler::PodShape wanted) {
  const std::string key = to_string(gang.owner);
  std::vector<std::string> names;
  for (const json& pod : gang.pods) names.push_back(name_of(pod));
  auto shape = std::make_shared<const scheduler::PodShape>(std::move(wanted));
  auto found = entries_.find(key);
  // What its pods ask for changes with the nodes of its pool, and with what admission adds.
  const bool is_same = found != entries_.end() && found->second.gang.name == name_in_cluster(gang) &&
                       found->second.pod_names == names && found->second.gang.priority == gang.priority &&
                       *found->second.gang.shape == *shape;
  if (is_same) return;
  if (found != entries_.end()) drop_assumed(found->second);
  Entry entry{.owner = gang.owner, .job = gang.job};
  entry.gang.name = name_in_cluster(gang);
  entry.gang.order = gang.order;
  entry.gang.priority = gang.priority;
  entry.gang.size = static_cast<int>(gang.pods.size());
  entry.gang.held = gang.size - entry.gang.size;
  entry.gang.shape = std::move(shape);
  entry.gang.shape_key = scheduler::shape_key(*entry.gang.shape);
  entry.pod_names = std::move(names);
  ++asked_;
  changed_.notify_all();
  entries_.insert_or_assign(key, std::move(entry));
}

void OwnBackend::set_places(store::JobPlaces places) {
  if (order_.set_places(std::move(places))) changed_.notify_all();
}

Task<void> OwnBackend::wait_for_decision(std::string key) {
  const auto seen = decided_.version();
  const auto found = entries_.find(key);
  if (found == entries_.end() || found->second.is_looked_at) co_return;
  found->second.is_awaited = true;
  co_await wait_on_clock(decided_, seen, clock_, kDecisionTakes);
  const auto again = entries_.find(key);
  if (again != entries_.end()) again->second.is_awaited = false;
}

Task<Result<std::optional<GangWait>>> OwnBackend::create_placed(GangRequest gang) {
  const std::string key = to_string(gang.owner);
  const Entry placed = entries_.at(key);
  order_.note_made(gang.owner, gang.job);
  const json built = gang.pods.front();
  for (std::size_t i = 0; i < gang.pods.size(); ++i) {
    if (!placed.nodes[i].empty()) scheduler::pin_to(gang.pods[i], placed.nodes[i]);
  }
  Made made;
  // The first alone: it shows what admission makes of all of them.
  Status created = co_await create_one(gang.owner.key.ns, std::move(gang.pods.front()), made);
  // One that is bound was taken by kube-scheduler, whatever it is.
  const bool is_bound = !get_string(get_any(made.last, "spec"), "nodeName").empty();
  if (created && !is_bound && !preview_.confirm(built, std::move(made.last), *placed.gang.shape)) {
    co_return co_await withdraw(gang.owner, std::move(made),
                                "the cluster's admission changed what its pods ask for while they were created");
  }
  if (created) {
    gang.pods.erase(gang.pods.begin());
    auto create = [this, &gang, &made](json pod) { return create_one(gang.owner.key.ns, std::move(pod), made); };
    created = co_await for_each_at_once(std::move(gang.pods), kPodsAtOnce, create);
  }
  // A quota mostly, or a webhook that does not answer. The next try may be as bad: others get its nodes until then.
  if (!created && created.error().code != ErrorCode::kInvalidArgument) {
    co_return co_await withdraw(gang.owner, std::move(made), std::move(created).error().message);
  }
  DET_CO_TRY(created);
  for (const std::string& name : placed.pod_names) {
    const auto assumed = assumed_.find({.ns = gang.owner.key.ns, .name = name});
    if (assumed != assumed_.end()) assumed->second.until = clock_.steady_now() + kSeenWithin;
  }
  entries_.erase(key);
  co_return std::nullopt;
}

Task<Status> OwnBackend::create_one(std::string ns, json pod, Made& made) {
  const std::string name = name_of(pod);
  auto created = co_await create_owned(client_, k8s::pods(), std::move(ns), std::move(pod));
  if (!created) {
    if (is_in_doubt(created.error())) made.in_doubt.push_back(name);
    co_return std::unexpected(with_context(std::move(created).error(), "create pod " + name));
  }
  made.pods.push_back(made_pod(*created));
  made.last = std::move(*created);
  co_return Status{};
}

Task<GangWait> OwnBackend::withdraw(WorkloadKey owner, Made made, std::string why) {
  auto removed = co_await remove_pods(client_, owner.key.ns, std::move(made.pods));
  if (!removed) log_.warn("pods of a withdrawn gang stay", {{"error", removed.error().message}});
  ClusterWatch::Assumed in_doubt;
  for (std::string& name : made.in_doubt) {
    in_doubt.insert(assumed_.extract({.ns = owner.key.ns, .name = std::move(name)}));
  }
  back_offs_.add(to_string(owner), why, clock_.steady_now());
  hold_back(owner, why);
  for (auto& [key, pod] : in_doubt) pod.until = clock_.steady_now() + kSeenWithin;
  assumed_.merge(in_doubt);
  const auto found = entries_.find(to_string(owner));
  if (found != entries_.end()) co_return wait_of(found->second);
  Entry gone;
  gone.reason = std::make_shared<const scheduler::WaitReason>(
      scheduler::WaitReason{.code = scheduler::ReasonCode::kBackingOff, .subject = std::move(why)});
  co_return wait_of(gone);
}

GangWait OwnBackend::wait_of(const Entry& entry) {
  if (!entry.reason) return {.reason = "Queued", .message = "its gang is queued", .tree = {{"code", "Queued"}}};
  return {.reason = std::string(scheduler::to_string(entry.reason->code)),
          .message = scheduler::sentence(*entry.reason),
          .tree = scheduler::to_json(*entry.reason)};
}

Task<Status> OwnBackend::release(WorkloadKey owner) {
  const auto found = entries_.find(to_string(owner));
  if (found != entries_.end()) {
    drop_assumed(found->second);
    entries_.erase(found);
    changed_.notify_all();
  }
  co_return Status{};
}

void OwnBackend::drop_assumed(const Entry& entry) {
  for (const std::string& pod : entry.pod_names) assumed_.erase({.ns = entry.owner.key.ns, .name = pod});
}

void OwnBackend::back_off(const WorkloadKey& owner, const std::string& why) {
  order_.note_unbound(owner, clock_.steady_now());
  // Its pods are still there.
  back_offs_.add_refused(to_string(owner), why, watch_.refusing(owner), clock_.steady_now());
  hold_back(owner, why);
}

void OwnBackend::hold_back(const WorkloadKey& owner, const std::string& why) {
  const auto found = entries_.find(to_string(owner));
  if (found == entries_.end()) return;
  drop_assumed(found->second);
  found->second.state = State::kWaiting;
  found->second.reason = std::make_shared<const scheduler::WaitReason>(
      scheduler::WaitReason{.code = scheduler::ReasonCode::kBackingOff, .subject = why});
  found->second.told_reason = found->second.reason;  // whoever asked gets it
  changed_.notify_all();
}

Task<void> OwnBackend::run() {
  std::vector<Task<void>> parts;
  parts.push_back(watch_.run());
  parts.push_back(work());
  co_await all_of(std::move(parts));
}

Task<void> OwnBackend::work() {
  co_await settle();
  for (;;) {
    const auto seen = changed_.version();
    while (decide()) co_await clock_.sleep_for(std::chrono::milliseconds(1));
    co_await clock_.sleep_for(kBetweenDecisions);
    co_await wait_on_clock(changed_, seen, clock_, until_next_try());
  }
}

// A new leader is asked by all waiting trials at once, in no order. The first decision waits until they have asked.
Task<void> OwnBackend::settle() {
  while (!watch_.is_ready()) co_await clock_.sleep_for(kPollReady);
  for (int i = 0; i < kMaxSettling; ++i) {
    const std::uint64_t before = asked_;
    co_await clock_.sleep_for(kSettling);
    if (asked_ == before) co_return;
  }
}

bool OwnBackend::decide() {
  next_try_ = clock_.steady_now() + kLong;
  watch_.forget_seen(assumed_);
  if (entries_.empty()) {
    reservations_.clear();
    return false;
  }
  std::vector<scheduler::Gang> gangs = queue();
  ClusterView view = watch_.view(assumed_);
  const bool is_floating = std::ranges::any_of(assumed_, [this](const auto& entry) {
    return entry.second.pod.node.empty() && (entry.second.is_of_several || !watch_.is_blind());
  });
  view.snapshot.has_unbound_gang = watch_.is_blind() && (is_floating || !watch_.floating(2).empty());
  scheduler::DecideOptions options = deciding_;
  // So many gangs at a time for the autoscaler: the last one may not have been seen yet.
  options.admits_pending = deciding_.admits_pending && !is_floating;
  back_offs_.forget_old(clock_.steady_now());
  std::map<std::string, Entry*> by_gang;
  for (auto& [key, entry] : entries_) by_gang.emplace(entry.gang.name, &entry);
  scheduler::Schedule decision = scheduler::decide(view.snapshot, gangs, reservations_, options);
  reservations_ = std::move(decision.reservations);
  deciding_.resume_at = std::move(decision.stopped_at);
  if (!deciding_.resume_at.empty()) next_try_ = std::min(next_try_, clock_.steady_now() + kBetweenParts);
  for (scheduler::Admitted& each : decision.admitted) {
    const auto entry = by_gang.find(each.gang);
    if (entry != by_gang.end()) admit(*entry->second, std::move(each.nodes));
  }
  for (scheduler::Waiting& each : decision.waiting) {
    const auto entry = by_gang.find(each.gang);
    if (entry != by_gang.end()) explain(*entry->second, std::move(each.reason));
  }
  decided_.notify_all();
  return decision.is_unfinished && !decision.admitted.empty();
}

std::vector<scheduler::Gang> OwnBackend::queue() {
  std::vector<scheduler::Gang> gangs;
  const SteadyTime now = clock_.steady_now();
  for (auto& [key, entry] : entries_) {
    if (entry.state != State::kWaiting) continue;
    const BackOff* const back_off = back_offs_.find(key);
    if (back_off == nullptr || back_off->until <= now) {
      if (is_made(entry)) continue;
      drop_assumed(entry);  // its pods in doubt are in nobody's way but others'
      gangs.push_back(entry.gang);
      gangs.back().place = order_.place_of(entry.owner, entry.job, entry.gang.order, now);
      if (back_off != nullptr) gangs.back().refused_by = back_off->refused_by;
      continue;
    }
    next_try_ = std::min(next_try_, back_off->until);
    explain(entry, std::make_shared<const scheduler::WaitReason>(
                       scheduler::WaitReason{.code = scheduler::ReasonCode::kBackingOff, .subject = back_off->why}));
  }
  if (watch_.is_blind()) return gangs;
  for (const auto& [name, pods] : watch_.floating(deciding_.admits_pending ? 1 : 2)) {
    scheduler::Gang gang;
    gang.name = name;
    gang.is_floating = true;
    gang.size = 0;
    for (const SeenPod* pod : pods) {
      if (!pod->pod.node.empty()) continue;
      ++gang.size;
      gang.shape = pod->pod.shape;
    }
    gang.held = static_cast<int>(pods.size()) - gang.size;
    gang.shape_key = scheduler::shape_key(*gang.shape);
    gangs.push_back(std::move(gang));
  }
  return gangs;
}

// What failed may have been the way of the answer only. Its owner sees the pods and does not ask for them any more.
bool OwnBackend::is_made(const Entry& entry) const {
  return std::ranges::all_of(entry.pod_names, [&](const std::string& pod) {
    return watch_.has_pod({.ns = entry.owner.key.ns, .name = pod}, entry.owner);
  });
}

void OwnBackend::admit(Entry& entry, std::vector<std::string> nodes) {
  entry.state = State::kPlaced;
  entry.is_looked_at = true;
  entry.nodes = std::move(nodes);
  for (std::size_t i = 0; i < entry.pod_names.size(); ++i) {
    const k8s::ObjectKey key{.ns = entry.owner.key.ns, .name = entry.pod_names[i]};
    AssumedPod& assumed = assumed_[key];
    assumed = {.is_of_several = entry.gang.size + entry.gang.held > 1};
    assumed.pod = {.ns = key.ns, .name = key.name, .node = entry.nodes[i], .shape = entry.gang.shape};
    assumed.pod.is_assumed = true;
  }
  log_.debug("gang placed",
             {{"gang", entry.gang.name}, {"pods", entry.gang.size}, {"first_node", entry.nodes.front()}});
  if (!entry.is_awaited) wake_owner_(entry.owner);
}

void OwnBackend::explain(Entry& entry, std::shared_ptr<const scheduler::WaitReason> reason) {
  const SteadyTime now = clock_.steady_now();
  const bool is_other_kind = !entry.told_reason || entry.told_reason->code != reason->code;
  const bool is_other = is_other_kind || !(*entry.told_reason == *reason);
  entry.reason = reason;
  entry.is_looked_at = true;
  const auto between = std::max(kBetweenTellings, std::chrono::seconds(entries_.size() / kTellingsInASecond));
  if (!entry.is_awaited && !is_other) return;
  if (!entry.is_awaited && !is_other_kind && now < entry.told + between) {
    next_try_ = std::min(next_try_, entry.told + between);  // nothing else may happen until then
    return;
  }
  entry.told_reason = std::move(reason);
  entry.told = now;
  if (!entry.is_awaited) wake_owner_(entry.owner);
}

std::chrono::nanoseconds OwnBackend::until_next_try() const {
  const SteadyTime now = clock_.steady_now();
  std::chrono::nanoseconds wait = std::max<std::chrono::nanoseconds>(next_try_ - now, kBetweenDecisions);
  // The place of a pod that nobody ever saw becomes free by time alone.
  for (const auto& [key, assumed] : assumed_) {
    if (!assumed.until) continue;
    const auto left = std::max<std::chrono::nanoseconds>(*assumed.until - now, kBetweenDecisions);
    wait = std::min(wait, left);
  }
  return wait;
}

}  // namespace det::op
