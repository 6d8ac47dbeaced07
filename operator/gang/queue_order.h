#pragma once

// Where gangs stand among those of their priority: by the places that people gave their jobs, else by submission;
// behind all others while pods of the same job are made, and nobody binds them. Such pods hold nodes for a minute each,
// and a search with one wrong field has hundreds of them. Belongs to the io thread; forgets on a restart.

#include <cstdint>
#include <string>

#include "base/bounded_map.h"
#include "base/clock.h"
#include "operator/gang/gang_backend.h"
#include "store/cluster/queue_place_store.h"

namespace det::op {

class QueueOrder {
 public:
  // Since its last gang that was not bound; then the job has its place again.
  static constexpr std::chrono::minutes kBehind{10};

  // True when something changed.
  bool set_places(store::JobPlaces places);
  // For Gang::place. `number`: of the gang's task.
  [[nodiscard]] std::int64_t place_of(const WorkloadKey& owner, const JobInQueue& job, std::int64_t number,
                                      SteadyTime now);
  // Its pods are going to be made.
  void note_made(const WorkloadKey& owner, const JobInQueue& job);
  // They were not bound.
  void note_unbound(const WorkloadKey& owner, SteadyTime now);

 private:
  store::JobPlaces places_;
  BoundedMap<std::string, std::string> jobs_{20'000};         // by owner, of those whose pods were made lately
  BoundedMap<std::string, SteadyTime> behind_until_{20'000};  // by job
};

}  // namespace det::op
