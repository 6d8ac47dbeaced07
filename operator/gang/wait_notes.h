#pragma once

// Which of the reasons for which a run waits are worth a line in its log: those that last, each once, and not ever more
// of them. Belongs to the io thread.

#include <set>
#include <string>

#include "base/bounded_map.h"

namespace det::op {

class WaitNotes {
 public:
  // Of one run: reasons may change places for hours.
  static constexpr std::size_t kMostOfRun = 5;

  // Whether people following the log should be told; true once for each reason of an allocation. `reason`: of a
  // GangWait.
  bool is_new(const std::string& allocation_id, const std::string& reason);

 private:
  BoundedMap<std::string, std::set<std::string>> said_{4'096};
};

}  // namespace det::op
