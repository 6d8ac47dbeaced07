#include "wire/job.h"

namespace det::wire {

Json to_json(const Job& job) {
  Json out = {
      {"jobId", job.id},
      {"entityId", job.entity},
      {"type", "TYPE_" + job.type},
      {"name", job.name},
      {"userId", job.user},
      {"username", job.username},
      {"workspaceId", job.workspace},
      {"resourcePool", job.resource_pool},
      {"priority", job.priority},
      {"weight", number(job.weight)},
      {"submissionTime", time(job.submitted)},
      {"requestedSlots", job.requested_slots},
      {"allocatedSlots", job.allocated_slots},
      {"isPreemptible", false},
      {"summary", {{"state", job.is_scheduled ? "STATE_SCHEDULED" : "STATE_QUEUED"}, {"jobsAhead", job.jobs_ahead}}}};
  put_if(out, "progress", job.progress);
  return out;
}

Json to_json(const QueueStats& stats) {
  return {{"queuedCount", stats.queued}, {"scheduledCount", stats.scheduled}};
}

}  // namespace det::wire
