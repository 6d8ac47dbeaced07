#pragma once

// Which pods this node should run and which it does: one PodRunner per bound pod, removal of what is over, and of what
// an earlier agent left behind. Belongs to the io thread.

#include <map>
#include <memory>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "base/async.h"
#include "k8sclient/informer.h"
#include "local/agent/pod_runner.h"

namespace det::local {

class PodKeeper {
 public:
  // `tasks` awaits what the keeper spawns. Pods live below `state_folder`/pods, their memory volumes below
  // `memory_folder`.
  PodKeeper(PodServices& services, k8s::Client& client, TaskGroup& tasks, std::string state_folder,
            std::string memory_folder);
  ~PodKeeper();
  PodKeeper(const PodKeeper&) = delete;
  PodKeeper& operator=(const PodKeeper&) = delete;

  // Follows the node's pods for ever; ends by cancellation.
  Task<void> run();
  // Ends every pod within its own grace period and returns when all ends were reported. No pod is started after this.
  // `spares_unstarted`: pods of which nothing has been started are left as they are, for the next agent to run.
  Task<void> stop_all(std::string reason, std::string message, bool spares_unstarted);
  // The folder of the container's newest attempt, or of the one before it. kNotFound, kFailedPrecondition: says why
  // not.
  [[nodiscard]] Result<std::string> find_log(const std::string& ns, const std::string& pod,
                                             const std::string& container, bool previous) const;

 private:
  void on_change(const nlohmann::json* before, const nlohmann::json* now);
  void see(const nlohmann::json& object);
  void forget(const PodView& pod);
  Task<void> run_pod(std::shared_ptr<PodRunner> runner, std::string refused_reason, std::string refused_message);
  Task<void> remove_pod(PodId pod);
  void note_end(WallTime latest);
  Task<void> clean(std::string uid);
  Task<void> end_orphans();
  std::set<std::string> names_in_memory();
  Task<void> end_orphan(std::string uid);
  [[nodiscard]] PodFolders folders(const std::string& uid) const;
  [[nodiscard]] bool is_known(const std::string& uid) const;

  PodServices& services_;
  TaskGroup& tasks_;
  std::string state_folder_;
  std::string memory_folder_;
  int memory_use_;  // locked while this agent uses the memory folder; others may share the lock
  Logger log_;
  k8s::Informer<nlohmann::json> informer_;
  std::map<std::string, std::shared_ptr<PodRunner>> runners_;  // by uid, while they run
  Signal runner_ended_;
  bool is_stopping_ = false;
};

}  // namespace det::local
