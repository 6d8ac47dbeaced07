#include "operator/gang/wait_notes.h"

namespace det::op {

bool WaitNotes::is_new(const std::string& allocation_id, const std::string& reason) {
  if (reason == "Queued" || reason == "NotTriedYet") return false;  // of every gang for some milliseconds
  std::set<std::string>* said = said_.find(allocation_id);
  if (said == nullptr) said = &said_.put(allocation_id, {});
  return said->size() < kMostOfRun && said->insert(reason).second;
}

}  // namespace det::op
