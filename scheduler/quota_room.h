#pragma once

// What ResourceQuotas leave, during one decision. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/reason.h"
#include "scheduler/snapshot.h"

namespace det::scheduler {

class QuotaRoom {
 public:
  explicit QuotaRoom(const Snapshot& snapshot);

  // Why so many pods of this shape would be refused by the API server; nothing when all are within the quotas.
  [[nodiscard]] std::optional<WaitReason> objection(const PodShape& shape, int pods) const;
  // False when no quota would take them even if nothing else ran in the namespace.
  [[nodiscard]] bool could_ever_fit(const PodShape& shape, int pods) const;
  // May leave less than nothing: then it is kept for somebody.
  void take(const PodShape& shape, int pods);

 private:
  struct Room {
    const Quota* quota = nullptr;
    Amounts left;
  };
  std::map<std::string, std::vector<Room>> by_namespace_;

  // A pod that is there, from the quotas that nobody counts for.
  void take_uncounted(const PodShape& shape);
};

// The amount of one pod that a quota's word counts: "requests.cpu" and "cpu" its request, "limits.memory" its limit,
// "pods" and "count/pods" one. nullopt: the word does not speak of pods.
[[nodiscard]] std::optional<std::int64_t> counted(const PodShape& shape, const std::string& word);

}  // namespace det::scheduler
