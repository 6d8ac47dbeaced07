#include "local/kubeapi/garbage_collector.h"

#include <algorithm>
#include <utility>

#include "base/json_get.h"
#include "base/race.h"
#include "local/kubeapi/event_expiry.h"
#include "local/kubeapi/object_meta.h"
#include "local/kubeapi/operations.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr std::chrono::minutes kSweepInterval{1};
// Events that are new since the last sweep and call for another.
constexpr std::size_t kCrowd = kMostEvents / 5;

const Written kNothing;

bool has_finalizer(const json& object, const std::string& name) {
  const auto all = finalizers_of(object);
  return std::ranges::find(all, name) != all.end();
}

bool blocks(const json& object, const std::string& owner) {
  const auto& owners = get_array(meta_of(object), "ownerReferences");
  return std::ranges::any_of(owners, [&owner](const json& reference) {
    return get_string(reference, "uid") == owner && get_bool(reference, "blockOwnerDeletion");
  });
}

}  // namespace

GarbageCollector::GarbageCollector(asio::any_io_executor executor, Clock& clock, ObjectStore& store,
                                   ObjectWriter& writer, const Registry& registry)
    : clock_(clock),
      store_(store),
      writer_(writer),
      registry_(registry),
      woken_(executor),
      crowded_(std::move(executor)) {
  store_.observe([this](const Change& change) { on_change(change); });
}

Task<void> GarbageCollector::run() {
  look_at_everything();
  co_await first_of(collect(), expire_events());
}

void GarbageCollector::look_at_everything() {
  for (const TypeRef& type : registry_.all()) {
    for (const ObjectRef& object : store_.list(type->collection(), "")) {
      look_at({type->collection(), namespace_of(object->value), name_of(object->value)}, object);
    }
  }
}

void GarbageCollector::look_at(const Place& place, const ObjectRef& object) {
  if (!owner_uids_of(object->value).empty()) {
    const auto owners = owner_uids_of(object->value);
    const bool misses_one = std::ranges::any_of(owners, [this](const auto& uid) { return !store_.has_uid(uid); });
    if (misses_one) dependents_.insert(place);
  }
  if (!is_deleting(object->value)) return;
  if (has_finalizer(object->value, kForegroundDeletion)) waiting_.insert(place);
  if (place.collection == "namespaces") namespaces_.insert(place.name);
}

void GarbageCollector::on_change(const Change& change) {
  if (change.type == Change::Type::kDeleted) {
    for (const Place& place : store_.dependents(uid_of(change.now->value))) dependents_.insert(place);
    // Its owner, or its namespace, may have waited for this one.
    for (const auto& owner : owner_uids_of(change.now->value)) {
      if (const auto place = store_.place_of(owner)) {
        if (const ObjectRef object = store_.find(*place)) look_at(*place, object);
      }
    }
    if (!change.place.ns.empty()) {
      const ObjectRef ns = store_.find({.collection = "namespaces", .ns = {}, .name = change.place.ns});
      if (ns != nullptr && is_deleting(ns->value)) namespaces_.insert(change.place.ns);
    }
  } else {
    look_at(change.place, change.now);
  }
  const bool is_new_event = change.type == Change::Type::kAdded && change.place.collection == "events";
  if (is_new_event && ++new_events_ == kCrowd) crowded_.notify_all();
  if (!dependents_.empty() || !waiting_.empty() || !namespaces_.empty()) woken_.notify_all();
}

Task<void> GarbageCollector::collect() {
  for (;;) {
    const auto seen = woken_.version();
    if (dependents_.empty() && waiting_.empty() && namespaces_.empty()) {
      co_await woken_.wait(seen, std::chrono::hours(24));
      continue;
    }
    // All in one batch of the writer: a search that ends can leave thousands.
    Mutation sweep = [this, dependents = std::exchange(dependents_, {}), waiting = std::exchange(waiting_, {}),
                      namespaces = std::exchange(namespaces_, {})](Staging& staging) -> Outcome {
      for (const Place& place : dependents) (void)collect_dependent(staging, place);
      for (const Place& place : waiting) (void)advance_foreground(staging, place);
      for (const auto& name : namespaces) (void)advance_namespace(staging, name);
      return kNothing;
    };
    const Outcome swept = co_await writer_.submit(std::move(sweep));
    if (swept) continue;
    log_.warn("garbage was not collected", {{"error", swept.error().message}});
    co_await clock_.sleep_for(std::chrono::seconds(1));
    look_at_everything();
  }
}

void GarbageCollector::remove_place(Staging& staging, const Place& place, const char* propagation) const {
  const TypeRef type = registry_.find_collection(place.collection);
  if (type == nullptr) return;
  DeleteOptions options;
  options.propagation = propagation;
  const WriteTarget target{.type = type, .ns = place.ns, .name = place.name, .subresource = {}};
  (void)remove(staging, target, options);  // gone or going already is as good
}

Outcome GarbageCollector::collect_dependent(Staging& staging, const Place& place) const {
  const ObjectRef object = staging.find(place);
  if (object == nullptr) return kNothing;
  const auto is_gone = [&](const json& owner) { return !staging.has_uid(get_string(owner, "uid")); };
  const json& owners = get_array(meta_of(object->value), "ownerReferences");
  const auto gone = std::ranges::count_if(owners, is_gone);
  if (gone == 0) return kNothing;
  if (static_cast<std::size_t>(gone) == owners.size()) {
    if (!is_deleting(object->value)) remove_place(staging, place, "Background");
    return kNothing;
  }
  json kept = object->value;
  json& references = kept["metadata"]["ownerReferences"];
  for (auto at = references.begin(); at != references.end();) at = is_gone(*at) ? references.erase(at) : at + 1;
  return Written{staging.put(place, std::move(kept)), 200};
}

Outcome GarbageCollector::advance_foreground(Staging& staging, const Place& place) const {
  const ObjectRef object = staging.find(place);
  if (object == nullptr || !has_finalizer(object->value, kForegroundDeletion)) return kNothing;
  const std::string uid = uid_of(object->value);
  for (const Place& dependent : staging.dependents(uid)) {
    const ObjectRef found = staging.find(dependent);
    if (found != nullptr && !is_deleting(found->value)) remove_place(staging, dependent, "Foreground");
  }
  const auto left = staging.dependents(uid);
  const bool is_blocked = std::ranges::any_of(left, [&](const Place& dependent) {
    const ObjectRef found = staging.find(dependent);
    return found != nullptr && blocks(found->value, uid);
  });
  if (is_blocked) return kNothing;
  json released = staging.find(place)->value;
  json& finalizers = released["metadata"]["finalizers"];
  for (auto at = finalizers.begin(); at != finalizers.end();) {
    at = *at == kForegroundDeletion ? finalizers.erase(at) : at + 1;
  }
  if (finalizers.empty()) released["metadata"].erase("finalizers");
  return Written{finish_if_released(staging, place, staging.put(place, std::move(released))), 200};
}

Outcome GarbageCollector::advance_namespace(Staging& staging, const std::string& name) const {
  const Place place{.collection = "namespaces", .ns = {}, .name = name};
  const ObjectRef ns = staging.find(place);
  if (ns == nullptr || !is_deleting(ns->value)) return kNothing;
  for (const Place& inside : staging.contents(name)) {
    const ObjectRef object = staging.find(inside);
    if (object != nullptr && !is_deleting(object->value)) remove_place(staging, inside, "Background");
  }
  // What has finalizers or runs is waited for: its going wakes us.
  if (!staging.contents(name).empty() || !finalizers_of(ns->value).empty()) return kNothing;
  return Written{staging.erase(place), 200};
}

Task<void> GarbageCollector::expire_events() {
  for (auto seen = crowded_.version();;) {
    co_await wait_on_clock(crowded_, seen, clock_, kSweepInterval);
    seen = crowded_.version();  // what becomes a crowd while these are swept calls for the next sweep at once
    new_events_ = 0;
    const WallTime limit = clock_.wall_now() - kEventsLive;
    Mutation sweep = [limit](Staging& staging) -> Outcome {
      for (const Place& place : expired_events(staging.list("events", ""), limit, kMostEvents)) staging.erase(place);
      return kNothing;
    };
    (void)co_await writer_.submit(std::move(sweep));
  }
}

}  // namespace det::local::kubeapi
