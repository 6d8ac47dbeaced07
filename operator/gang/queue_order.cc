#include "operator/gang/queue_order.h"

#include <utility>

#include "store/cluster/queue_place.h"

namespace det::op {
namespace {

// More than all places, which count the microseconds since 1970 by 1024, and room for them above it.
constexpr std::int64_t kBehindAll = std::int64_t{1} << 62;

std::string job_key(const WorkloadKey& owner, const JobInQueue& job) {
  return job.experiment ? "experiment " + to_string(*job.experiment) : to_string(owner);
}

}  // namespace

bool QueueOrder::set_places(store::JobPlaces places) {
  if (places == places_) return false;
  places_ = std::move(places);
  return true;
}

std::int64_t QueueOrder::place_of(const WorkloadKey& owner, const JobInQueue& job, std::int64_t number,
                                  SteadyTime now) {
  std::int64_t place = store::place_of_submission(job.submitted);
  if (job.experiment) {
    const auto found = places_.experiments.find(*job.experiment);
    if (found != places_.experiments.end()) place = found->second;
  } else if (const auto found = places_.tasks.find(number); found != places_.tasks.end()) {
    place = found->second;
  }
  const SteadyTime* const until = behind_until_.find(job_key(owner, job));
  return until != nullptr && now < *until ? place + kBehindAll : place;
}

void QueueOrder::note_made(const WorkloadKey& owner, const JobInQueue& job) {
  jobs_.put(to_string(owner), job_key(owner, job));
}

void QueueOrder::note_unbound(const WorkloadKey& owner, SteadyTime now) {
  const std::string* const job = jobs_.find(to_string(owner));
  behind_until_.put(job == nullptr ? to_string(owner) : *job, now + kBehind);
}

}  // namespace det::op
