#pragma once

// The scheduling decision: which waiting gangs start now and where, and why the others wait. Values in, values out; the
// same input, in whatever order, gives the same decision.
//
// Order: gangs that already hold something first, then priority (larger first), then their jobs' places, then
// submission. A gang starts whole or not at all. The first waiting gang of each set of nodes gets a reservation: nodes
// that would hold it once what runs there now has ended. Those behind it may start only beside that reservation, so
// they never delay it past the end of what ran there when it was made. A gang that no node would hold even if the
// cluster were empty, or that its quota can never take, gets no reservation and holds nobody up.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/place.h"
#include "scheduler/reason.h"
#include "scheduler/snapshot.h"

namespace det::scheduler {

struct DecideOptions {
  PlaceOptions place;
  // Work of one decision: placements tried, and gangs admitted.
  int max_tries = 1000;
  int max_admissions = 256;
  // Where the last decision stopped: half of the tries are for the front of the queue, the others from there on.
  std::string resume_at;
  // Start the first gangs that find no room without naming nodes, so that a cluster autoscaler sees their pods: of
  // several pods one at a time, of one pod up to so many that want the same nodes. Kube-scheduler, which binds them,
  // knows neither their priorities nor who else waits.
  bool admits_pending = false;
  int max_floating_singles = 16;  // what a search runs at a time unless it says otherwise
};

// Room kept for a gang: pods by node.
struct Reservation {
  std::string gang;
  std::map<std::string, int> pods;

  bool operator==(const Reservation&) const = default;
};

struct Admitted {
  std::string gang;
  std::vector<std::string> nodes;  // one per pod; an empty name leaves the choice to kube-scheduler

  bool operator==(const Admitted&) const = default;
};

struct Waiting {
  std::string gang;
  std::shared_ptr<const WaitReason> reason;  // shared by gangs that wait for the same
};

struct Schedule {
  std::vector<Admitted> admitted;
  std::vector<Waiting> waiting;  // in queue order
  std::vector<Reservation> reservations;
  bool is_unfinished = false;  // not all were looked at, because of a limit: decide again
  std::string stopped_at;      // the first gang that the limits left no work for; empty: there was none
};

// `previous`: the reservations of the last decision; they are kept where they still make sense.
[[nodiscard]] Schedule decide(const Snapshot& snapshot, const std::vector<Gang>& gangs,
                              const std::vector<Reservation>& previous, const DecideOptions& options);

}  // namespace det::scheduler
