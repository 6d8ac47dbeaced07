#pragma once

// Carries removals of files out: plans what the policies of experiments that ended give up, has a task of type
// CheckpointGC remove the files, and says so in the rows when that task ended well. May be killed after any
// instruction: what is to go stands in the database first, and each step finds what the one before it left. Belongs to
// the io thread.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/log.h"
#include "operator/removal/place_remover.h"
#include "operator/services.h"

namespace det::op {

class Collector {
 public:
  // `default_ns`: where tasks run that remove files of experiments whose namespace is gone.
  Collector(OperatorServices& services, asio::any_io_executor executor, std::string default_ns)
      : services_(services),
        default_ns_(std::move(default_ns)),
        wake_(std::move(executor)),
        log_("collector"),
        places_(services) {}

  // Until cancelled.
  Task<void> run();
  // Looks soon instead of at the next interval.
  void wake() { wake_.notify_all(); }
  // One look at everything that is to go; when to look again at the latest.
  Task<Result<std::chrono::nanoseconds>> look();

 private:
  Task<Status> plan();
  // As where the plans of all fail together: one that cannot be planned holds up no other.
  Task<Status> plan_one_by_one();
  Task<Status> advance(store::Removal removal);
  Task<Status> start(store::Removal removal);
  Task<Status> follow(store::Removal removal);
  Task<Status> make_object(store::TaskRow task, store::ExperimentRow experiment);
  // Where a task can be made for it: in its own namespace, in the default one where that is gone, or nowhere (empty).
  Task<Result<std::string>> namespace_for(store::ExperimentRow experiment);
  // `is_final`: another try can only fail, too.
  Task<Status> note_failure(store::Removal removal, std::string why, bool is_final = false);
  // Of an experiment whose namespace is gone: nothing reaches them any more.
  Task<Status> leave_files(store::Removal removal, model::ExperimentState state, std::string why);
  // Experiments whose files are gone go themselves.
  Task<Status> remove_emptied();
  Task<Status> remove_experiment(model::ExperimentId id);
  Task<Status> remove_its_object(store::ExperimentRow experiment);
  Task<Status> give_up(model::ExperimentId id, std::string why);
  // Projects and workspaces that are being deleted.
  Task<Status> remove_places();
  Task<Status> tell_of_held();
  Task<Status> sweep_code();
  // Also one that waits for this to be deleted: people look at it. nullptr: there is none.
  [[nodiscard]] const KeptExperiment* object_of(const store::ExperimentRow& experiment) const;
  [[nodiscard]] std::string owner_uid(const store::ExperimentRow& experiment) const;
  void look_at(WallTime time);

  OperatorServices& services_;
  std::string default_ns_;
  Signal wake_;
  Logger log_;
  PlaceRemover places_;
  std::optional<WallTime> next_;        // the earliest of this look
  std::optional<WallTime> code_swept_;  // when
  std::int64_t emptied_after_ = 0;      // where the last look at emptied experiments ended
  bool told_of_held_ = false;
  std::map<std::int64_t, std::string> said_;  // by removal: what was logged of it last
  // Experiments that are being deleted and whose files nothing reaches.
  struct Unreachable {
    std::string why;
    bool is_told = false;  // whoever asks again has read that, and wants them deleted without their files
  };
  std::map<model::ExperimentId, Unreachable> unreachable_;
};

}  // namespace det::op
