#pragma once

// Gangs that were withdrawn and are not tried again yet. Belongs to the io thread; remembers nothing across a restart.

#include <map>
#include <string>
#include <vector>

#include "base/clock.h"

namespace det::op {

struct BackOff {
  int times = 0;
  SteadyTime until{};
  std::string why;
  // Nodes that its pods were pinned to and kube-scheduler did not bind them to. It knows more than we do: host ports,
  // affinity between pods, limits of volumes.
  std::vector<std::string> refused_by;
};

class BackOffs {
 public:
  // The gang of `owner` was withdrawn: ten seconds the first time, then ever longer.
  BackOff& add(const std::string& owner, const std::string& why, SteadyTime now);
  // The same; `nodes` would not have its pods.
  void add_refused(const std::string& owner, const std::string& why, std::vector<std::string> nodes, SteadyTime now);
  // nullptr: it was not withdrawn lately. Valid until the next call.
  [[nodiscard]] const BackOff* find(const std::string& owner) const;
  // One that has not been withdrawn for half an hour begins with the short delay again.
  void forget_old(SteadyTime now);

 private:
  std::map<std::string, BackOff> all_;  // by owner
};

}  // namespace det::op
