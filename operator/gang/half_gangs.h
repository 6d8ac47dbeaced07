#pragma once

// Gangs of which the API server takes some pods only: these go, whichever call made them, for they would hold their
// places for ever. The gang is not tried again at once: its pods' coming and going wakes its owner. For backends that
// make pod after pod. Belongs to the io thread; remembers nothing across a restart.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "operator/gang/back_offs.h"
#include "operator/gang/gang_backend.h"

namespace det::op {

class HalfGangs {
 public:
  HalfGangs(k8s::Client& client, Clock& clock) : client_(client), clock_(clock) {}

  // The gang of `owner` was withdrawn lately: what it waits for. Nothing: it may be tried.
  [[nodiscard]] std::optional<GangWait> back_off_of(const WorkloadKey& owner) const;
  // The API server forbids a pod of `gang`, which waits for that as `wait` says. Nothing: it is whole.
  Task<Result<std::optional<GangWait>>> forbidden(GangRequest gang, GangWait wait);
  // Whatever exists of `gang` goes, and it waits.
  Task<Result<std::optional<GangWait>>> withdraw(GangRequest gang, GangWait wait);
  void forget(const WorkloadKey& owner) { waits_.erase(to_string(owner)); }

 private:
  struct Found {
    std::vector<MadePod> pods;  // that are not going
    bool has_begun = false;     // the programs of some
  };
  Task<Result<Found>> find(const GangRequest& gang);
  Task<GangWait> withdraw(const GangRequest& gang, Found found, GangWait wait);

  k8s::Client& client_;
  Clock& clock_;
  Logger log_{"scheduler"};
  BackOffs back_offs_;
  std::map<std::string, GangWait> waits_;  // by owner
};

}  // namespace det::op
