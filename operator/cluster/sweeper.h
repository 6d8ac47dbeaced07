#pragma once

// Ends what has lost its object: an Experiment deleted while no operator watched, or a row that REST made just before
// it was killed. The history stays. And what was orphaned goes. Runs now and then, and whenever an Experiment object
// goes. Belongs to the io thread.

#include <string>
#include <unordered_set>

#include "base/async.h"
#include "base/log.h"
#include "operator/cluster/orphans.h"
#include "operator/services.h"

namespace det::op {

class Sweeper {
 public:
  explicit Sweeper(OperatorServices& services, asio::any_io_executor executor)
      : services_(services), orphans_(services), wake_(std::move(executor)), log_("sweeper") {}

  // For ever; ends by cancellation.
  Task<void> run();
  // Looks soon instead of at the next interval.
  void wake() { wake_.notify_all(); }
  // One look at everything that is not over.
  Task<Status> sweep();

 private:
  // Of the objects that are known to be there.
  struct SeenObjects {
    std::unordered_set<std::string> uids;
    std::unordered_set<std::string> nonces;
  };
  Task<Result<bool>> has_lost_object(const store::ExperimentRow& row, const SeenObjects& seen);
  Task<Status> end_experiment(store::ExperimentRow row, std::string why);

  OperatorServices& services_;
  Orphans orphans_;
  Signal wake_;
  Logger log_;
};

}  // namespace det::op
