#pragma once

// How many Trial objects of one experiment there are at most: etcd and everybody who watches are spared a search of a
// hundred thousand. The database has them all. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "k8sclient/resource.h"
#include "operator/views.h"
#include "store/trials/trial_rows.h"

namespace det::op {

inline constexpr std::size_t kMaxLiveTrials = 1'000;
inline constexpr std::size_t kKeepFinishedTrials = 100;

// Those of `trials` that are alive and have an object now; the rest waits until some of them have ended. In their
// order. Those that have one and rest until the search has more for them come on top of `most`.
[[nodiscard]] std::vector<store::TrialRow> trials_with_objects(std::vector<store::TrialRow> trials,
                                                               std::size_t most = kMaxLiveTrials);

// An object of a trial that is over.
struct FinishedTrial {
  std::int64_t id = 0;  // of the trial
  k8s::ObjectKey key;
  std::string uid;

  bool operator==(const FinishedTrial&) const = default;
};

// Whether the object says that its trial is over, and nobody deletes it yet.
[[nodiscard]] bool is_finished(const KeptTrial& trial);
// The objects to delete, the oldest trials first: all but the `keep` youngest.
[[nodiscard]] std::vector<FinishedTrial> trials_to_retire(std::vector<FinishedTrial> finished,
                                                          std::size_t keep = kKeepFinishedTrials);

}  // namespace det::op
