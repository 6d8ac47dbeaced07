#pragma once

// Runs one pod from its volumes to its last status: init containers in order, then the containers side by side, each
// again as its restart policy says. What an earlier agent left running is taken over on the way. Belongs to the io
// thread; the services outlive it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/thread_pool.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "local/agent/cgroup.h"
#include "local/agent/gpus.h"
#include "local/agent/images.h"
#include "local/agent/pod_api.h"
#include "local/agent/pod_status.h"
#include "local/agent/process.h"
#include "local/agent/status_reporter.h"
#include "local/agent/volumes.h"

namespace det::local {

struct PodServices {
  asio::any_io_executor executor;
  asio::thread_pool& pool;
  asio::thread_pool& looks;  // at folders of the machine, of which some may be on a server that hangs: only starts wait
  Clock& clock;
  PodApi& api;
  const std::vector<Mask>& masks;  // looked up for each start: a masked path may appear later
  const NodeFacts& node;
  const Images& images;
  const Cgroups& cgroups;
  GpuLedger& gpus;
  std::vector<std::string> shim_command;
  std::string bwrap = "bwrap";
};

class PodRunner {
 public:
  PodRunner(PodServices& services, PodView pod, PodFolders folders);
  PodRunner(const PodRunner&) = delete;
  PodRunner& operator=(const PodRunner&) = delete;

  // Returns when the pod is over and the API server knows how it ended: of its containers first, unless it was stopped.
  // Cancelling it leaves the containers running.
  Task<void> run();
  // The same for a pod that must not run: it fails at once with `reason`.
  Task<void> run_refused(std::string reason, std::string message);
  // Sends TERM to what runs, KILL after `grace`, and starts nothing more. Again with a shorter grace is fine. A reason
  // is the node's own: it makes the pod Failed with it, whatever its containers say, and disrupted.
  void request_stop(std::chrono::seconds grace, std::string reason = {}, std::string message = {});
  // Keeps a pod of which nothing has been started from beginning, so that the next agent can run it as it is. False,
  // and nothing changes, when something of it has been started or it is to stop. What holds it goes no further until
  // run() is cancelled or request_stop() called.
  [[nodiscard]] bool hold();

  [[nodiscard]] const PodView& pod() const { return pod_; }

 private:
  // One container: its spec, what is known of it, and its process while there is one.
  struct Slot {
    const ContainerView& view;
    ContainerRecord& record;
    bool is_init = false;
    int attempt = 0;
    std::unique_ptr<ContainerProcess> process;
    std::optional<HostLayout> host = {};  // for which the sandbox of `process` was planned
  };

  Task<void> work();
  Task<bool> make_volumes();
  Task<void> run_container(Slot& slot);
  Task<bool> open_attempt(Slot& slot);
  Task<Result<std::unique_ptr<ContainerProcess>>> start_attempt(Slot& slot);
  Result<std::vector<Gpu>> take_gpus(const Slot& slot);
  Task<Result<EnvObjects>> fetch_env_objects(const ContainerView& container);
  Task<bool> follow(Slot& slot);
  Task<HostLayout> look_at_host();
  Task<bool> has_host_changed(const Slot& slot);
  Task<void> forget_attempt(Slot& slot, std::string why);
  Task<Termination> termination_of(Slot& slot, ContainerExit exit);
  Task<void> tidy(Slot& slot);
  Task<void> stop();
  Task<void> stop_all();
  Task<void> stop_at_deadline();
  [[nodiscard]] bool wants_restart(const Slot& slot) const;
  [[nodiscard]] std::chrono::seconds backoff(const Slot& slot) const;
  // Waits, but not once the pod is to stop.
  Task<void> pause(std::chrono::seconds time);
  Task<void> wait_while_held();
  void wait_with(Slot& slot, const std::string& reason, const std::string& message);
  void report();
  void close();
  [[nodiscard]] bool has_begun() const;
  [[nodiscard]] std::string attempt_folder(const Slot& slot, int attempt) const;
  [[nodiscard]] std::string group_id(const Slot& slot) const;

  PodServices& services_;
  PodView pod_;
  PodFolders folders_;
  Logger log_;
  PodRecord record_;
  std::vector<Slot> slots_;  // init containers first
  std::map<std::string, VolumeLocation> volumes_;
  StatusReporter reporter_;
  Signal stop_changed_;
  std::optional<SteadyTime> kill_at_;  // set: the pod is to stop
  bool is_held_ = false;
};

}  // namespace det::local
