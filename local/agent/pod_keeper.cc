#include "local/agent/pod_keeper.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/encoding.h"
#include "base/json_get.h"
#include "base/race.h"
#include "base/remove_tree.h"
#include "local/names.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds kRemovalRetry{5};

k8s::ReflectorOptions pods_of(const std::string& node) {
  k8s::ReflectorOptions options;
  options.resource = k8s::pods();
  options.field_selector = "spec.nodeName=" + node;
  return options;
}

bool is_over(const PodView& pod) {
  return pod.phase == "Succeeded" || pod.phase == "Failed";
}

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) names.insert(entry.path().filename().string());
  return names;
}

// A name that is not in the object may be a path.
bool has_container(const json& pod, const std::string& name) {
  const json& spec = get_object(pod, "spec");
  for (const char* field : {"containers", "initContainers"}) {
    for (const json& container : get_array(spec, field)) {
      if (get_string(container, "name") == name) return dns_label_faults(name).empty();
    }
  }
  return false;
}

int newest_number(const std::set<std::string>& names) {
  int newest = -1;
  for (const std::string& name : names) newest = std::max(newest, std::atoi(name.c_str()));
  return newest;
}

}  // namespace

PodKeeper::PodKeeper(PodServices& services, k8s::Client& client, TaskGroup& tasks, std::string state_folder,
                     std::string memory_folder)
    : services_(services),
      tasks_(tasks),
      state_folder_(std::move(state_folder)),
      memory_folder_(std::move(memory_folder)),
      memory_use_(::open(memory_folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      log_("node-agent"),
      informer_(client, services.clock, services.executor, pods_of(services.node.name),
                [](const json& object) { return object; }),
      runner_ended_(services.executor) {
  ::flock(memory_use_, LOCK_SH | LOCK_NB);
  informer_.add_handler([this](const k8s::ObjectKey&, const json* before, const json* now) { on_change(before, now); });
}

PodKeeper::~PodKeeper() {
  if (memory_use_ >= 0) ::close(memory_use_);
}

Task<void> PodKeeper::run() {
  co_await first_of(informer_.run(), end_orphans());
}

void PodKeeper::on_change(const json* before, const json* now) {
  if (before != nullptr) {
    const PodView old = decode_pod_identity(*before);
    if (now == nullptr || decode_pod_identity(*now).uid != old.uid) forget(old);
  }
  if (now != nullptr) see(*now);
}

void PodKeeper::see(const json& object) {
  const PodView identity = decode_pod_identity(object);
  const std::chrono::seconds grace(identity.deletion_grace_seconds);
  if (const auto known = runners_.find(identity.uid); known != runners_.end()) {
    if (identity.is_deleting) known->second->request_stop(grace);
    return;
  }
  if (is_stopping_) return;
  if (is_over(identity)) {
    if (identity.is_deleting) tasks_.spawn("remove pod", remove_pod(pod_id(identity)));
    return;
  }
  auto pod = decode_pod(object);
  std::string reason;
  std::string message;
  if (!pod) {
    reason = "UnsupportedPod";
    message = pod.error().message;
  } else if (identity.phase == "Running" && !fs::exists(folders(identity.uid).root)) {
    reason = "ContainerStatusUnknown";
    message = "the node agent's record of this pod is gone: it ran before its state folder was removed";
  }
  auto runner = std::make_shared<PodRunner>(services_, pod ? std::move(*pod) : identity, folders(identity.uid));
  if (identity.is_deleting) runner->request_stop(grace);
  runners_.emplace(identity.uid, runner);
  tasks_.spawn("pod " + identity.ns + "/" + identity.name, run_pod(std::move(runner), reason, message));
}

// The object is gone, perhaps by force: its containers must not go on.
void PodKeeper::forget(const PodView& pod) {
  constexpr std::chrono::seconds kGraceOfAForcedDelete{1};
  if (const auto known = runners_.find(pod.uid); known != runners_.end()) {
    known->second->request_stop(kGraceOfAForcedDelete);
  } else {
    tasks_.spawn("clean up pod", clean(pod.uid));
  }
}

Task<void> PodKeeper::run_pod(std::shared_ptr<PodRunner> runner, std::string refused_reason,
                              std::string refused_message) {
  if (refused_reason.empty()) {
    co_await runner->run();
  } else {
    // An earlier version may have let it run.
    if (const PodId refused = pod_id(runner->pod()); fs::exists(folders(refused.uid).root)) {
      co_await end_orphan(refused.uid);
    }
    co_await runner->run_refused(refused_reason, refused_message);
  }
  const PodId id = pod_id(runner->pod());
  runners_.erase(id.uid);
  runner_ended_.notify_all();
  const json* object = informer_.find({id.ns, id.name});
  const PodView now = object == nullptr ? PodView() : decode_pod_identity(*object);
  if (now.uid != id.uid) {
    co_await clean(id.uid);
  } else if (now.is_deleting) {
    co_await remove_pod(id);
  }
}

// Its folder goes when the watch tells that the object has gone.
Task<void> PodKeeper::remove_pod(PodId pod) {
  for (;;) {
    const Status removed = co_await services_.api.remove(pod);
    if (removed) co_return;
    // Nothing else would come back to it: the object stays as it is until this has taken it away.
    log_.warn("pod was not removed; the next try follows",
              {{"pod", pod.ns + "/" + pod.name}, {"error", removed.error().message}});
    co_await services_.clock.sleep_for(kRemovalRetry);
  }
}

// The root last: an agent that is killed meanwhile leaves it for the next one to find.
Task<void> PodKeeper::clean(std::string uid) {
  const PodFolders gone = folders(uid);
  auto work = [&] { return remove_trees({gone.memory, gone.root}); };
  const Status removed = co_await run_on(services_.pool, work);
  if (!removed) log_.warn("files of a pod were not removed", {{"error", removed.error().message}});
}

// Pods of an earlier agent whose objects have gone meanwhile.
Task<void> PodKeeper::end_orphans() {
  while (!co_await informer_.wait_synced(std::chrono::seconds(60))) {
  }
  auto left = names_in(state_folder_ + "/pods");
  left.merge(names_in_memory());
  for (const std::string& uid : left) {
    if (!is_known(uid)) co_await end_orphan(uid);
  }
  // What was assigned to containers whose folders are gone, too.
  const auto kept = names_in(state_folder_ + "/pods");
  services_.gpus.keep_only({kept.begin(), kept.end()});
  for (;;) co_await services_.clock.sleep_for(std::chrono::hours(1));
}

// Memory whose pod has no other folder any more would be held until the machine starts again. The memory folder is
// named after the agent's node and state folder, but two containers that share /dev/shm can have the same: nothing is
// known of the pods there while another agent uses it, too.
std::set<std::string> PodKeeper::names_in_memory() {
  std::set<std::string> names;
  if (::flock(memory_use_, LOCK_EX | LOCK_NB) == 0) names = names_in(memory_folder_);
  ::flock(memory_use_, LOCK_SH | LOCK_NB);  // a failed attempt gives up the lock that was held
  return names;
}

Task<void> PodKeeper::end_orphan(std::string uid) {
  const std::string containers = folders(uid).root + "/containers";
  for (const std::string& name : names_in(containers)) {
    const int attempt = newest_number(names_in(containers + "/" + name));
    auto process = ContainerProcess::adopt(services_.executor, containers + "/" + name + "/" + std::to_string(attempt));
    if (process == nullptr) continue;
    process->kill();
    co_await process->wait_exit();
    services_.cgroups.remove(uid + "-" + name);
    services_.gpus.give_back(uid + "-" + name);
  }
  log_.info("a pod that an earlier agent left was ended", {{"uid", uid}});
  co_await clean(uid);
}

Task<void> PodKeeper::stop_all(std::string reason, std::string message, bool spares_unstarted) {
  is_stopping_ = true;
  std::chrono::seconds longest(0);
  std::set<std::string> spared;
  for (const auto& [uid, runner] : runners_) {
    if (spares_unstarted && runner->hold()) {
      spared.insert(uid);
      continue;
    }
    const std::chrono::seconds grace(runner->pod().grace_seconds);
    longest = std::max(longest, grace);
    runner->request_stop(grace, reason, message);
  }
  // An API server that is away must not keep the agent from ending.
  longest += std::chrono::seconds(15);
  const SteadyTime deadline = services_.clock.steady_now() + longest;
  note_end(services_.clock.wall_now() + longest);
  const auto is_waited_for = [&spared](const auto& entry) { return !spared.contains(entry.first); };
  while (std::ranges::any_of(runners_, is_waited_for) && services_.clock.steady_now() < deadline) {
    const auto seen = runner_ended_.version();
    const auto left = deadline - services_.clock.steady_now();
    co_await wait_on_clock(runner_ended_, seen, services_.clock, left);
  }
}

// For whoever waits for this process (cli/stop_daemon.cc).
void PodKeeper::note_end(WallTime latest) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(latest.time_since_epoch()).count();
  const Status noted = write_file_atomically(state_folder_ + "/stops-by", std::to_string(seconds), 0600);
  if (!noted) log_.warn("how long the pods may take cannot be noted", {{"error", noted.error().message}});
}

Result<std::string> PodKeeper::find_log(const std::string& ns, const std::string& pod, const std::string& container,
                                        bool previous) const {
  const json* object = informer_.find({ns, pod});
  if (object == nullptr) return fail(ErrorCode::kNotFound, "pod " + ns + "/" + pod + " is not on this node");
  const std::string folder = folders(decode_pod_identity(*object).uid).container(container);
  if (!has_container(*object, container)) {
    return fail(ErrorCode::kNotFound, "container \"" + container + "\" is not in pod " + ns + "/" + pod);
  }
  const int newest = newest_number(names_in(folder)) - (previous ? 1 : 0);
  if (newest >= 0 && fs::exists(folder + "/" + std::to_string(newest))) return folder + "/" + std::to_string(newest);
  if (previous) {
    return fail(ErrorCode::kFailedPrecondition,
                "previous terminated container \"" + container + "\" in pod \"" + pod + "\" not found");
  }
  return fail(ErrorCode::kFailedPrecondition,
              "container \"" + container + "\" in pod \"" + pod + "\" is waiting to start: ContainerCreating");
}

// A uid that is none is refused by decode_pod; what is done about its pod must not reach other folders either.
PodFolders PodKeeper::folders(const std::string& given) const {
  const std::string uid = is_plain_uid(given) ? given : "not-a-uid-" + sha256_hex(given);
  return {state_folder_ + "/pods/" + uid, memory_folder_ + "/" + uid};
}

bool PodKeeper::is_known(const std::string& uid) const {
  if (runners_.contains(uid)) return true;
  for (const k8s::ObjectKey& key : informer_.keys()) {
    const json* object = informer_.find(key);
    if (object != nullptr && decode_pod_identity(*object).uid == uid) return true;
  }
  return false;
}

}  // namespace det::local
