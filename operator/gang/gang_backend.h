#pragma once

// How the pods of a gang come to run together. One interface for all ways; the reconciler knows no other. Belongs to
// the io thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "k8sclient/client.h"
#include "model/ids.h"
#include "operator/gang/workload_key.h"
#include "store/cluster/queue_place_store.h"

namespace det::op {

// The job that a gang belongs to, as people order the queue.
struct JobInQueue {
  std::optional<model::ExperimentId> experiment;  // nothing: the job is the gang's own task
  WallTime submitted{};                           // its place, unless somebody gave it another
};

struct GangRequest {
  WorkloadKey owner;
  std::string owner_uid;
  std::string name;  // of the run: "<object>-<run>"
  int size = 1;
  int priority = 50;  // larger is first
  JobInQueue job;
  std::int64_t order = 0;            // of one job's gangs, and the task number; smaller is earlier
  std::vector<nlohmann::json> pods;  // those that do not exist yet
};

// Why a gang has no pods yet.
struct GangWait {
  std::string reason;                            // CamelCase: GangDoesNotFit, QuotaExceeded, WaitsItsTurn...
  std::string message;                           // one sentence
  nlohmann::json tree;                           // scheduler/reason.h
  std::optional<std::chrono::seconds> retry_in;  // ask again after this; else the owner is woken

  bool operator==(const GangWait&) const = default;
};

// Reason and event of what the API server refuses.
inline constexpr const char* kPodsNotCreated = "PodsNotCreated";
// For people, with its words.
[[nodiscard]] GangWait refused_wait(const std::string& words);

// Puts the object that a gang belongs to into its controller's queue.
using WakeOwner = std::function<void(const WorkloadKey&)>;

class GangBackend {
 public:
  virtual ~GangBackend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  // Makes what is missing of the gang, or says why it has to wait; then the owner is woken when that changes. Safe to
  // call again after any failure. kInvalidArgument: the API server will never take these pods.
  virtual Task<Result<std::optional<GangWait>>> create(GangRequest gang) = 0;
  // Its pods exist and wait to be bound: sees to it that they can be. `gang.pods` is empty.
  virtual Task<Status> keep(GangRequest gang);
  // The owner wants no pods now, or its run is over: what was queued or made for its gang goes. Safe to repeat.
  virtual Task<Status> release(WorkloadKey owner) = 0;
  // The run was ended because its pods were not bound in time: the next one is not tried at once.
  virtual void back_off(const WorkloadKey& owner, const std::string& why) = 0;
  // Places of jobs that people gave them; those of before are forgotten. Of use where the order is ours.
  virtual void set_places(store::JobPlaces places);
  // From its pods' creation, a gang of so many pods has so long to be bound; nullopt: any time.
  [[nodiscard]] virtual std::optional<std::chrono::seconds> bind_timeout(int pods) const;
  // What it found out about the cluster at its start is so no more: another one has to be made.
  [[nodiscard]] virtual bool is_outdated() const { return false; }
  // Runs beside the controllers, until cancelled.
  virtual Task<void> run();
};

// Creates `object`, or finds the one that an earlier try made: "already exists" is success only if the same owner made
// it, otherwise kAborted (an old object of that name still has to go). Returns the object as the server has it.
Task<Result<nlohmann::json>> create_owned(k8s::Client& client, k8s::Resource resource, std::string ns,
                                          nlohmann::json object);
// Pod after pod by create_owned, up to the first failure.
Task<Status> create_pods(k8s::Client& client, std::string ns, std::vector<nlohmann::json> pods);
struct MadePod {
  std::string name;
  std::string uid;
};
// `object`: the pod as the API server answered its creation.
[[nodiscard]] MadePod made_pod(const nlohmann::json& object);
// Pods that cannot have done anything yet, and none that has their names since: the call may arrive late.
Task<Status> remove_pods(k8s::Client& client, std::string ns, std::vector<MadePod> pods);

}  // namespace det::op
