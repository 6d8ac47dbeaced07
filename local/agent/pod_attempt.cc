// The part of PodRunner that knows one attempt of one container: start it or take it over, follow it, tidy up.

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>

#include "base/remove_tree.h"
#include "local/agent/pod_runner.h"

namespace det::local {
namespace {

namespace fs = std::filesystem;
using State = ContainerRecord::State;

// A program that forks for ever must leave the machine a way to end it. Threads count.
std::int64_t most_processes(const NodeFacts& node) {
  constexpr std::int64_t kLeast = 4096;
  constexpr std::int64_t kPerCpu = 512;
  return std::max(kLeast, node.milli_cpu / 1000 * kPerCpu);
}

// What a pod may use that does not say: not so much that the node itself has none left.
Quantities limits_of(const ContainerView& container, const NodeFacts& node) {
  Quantities limits = container.limits;
  if (!limits.memory && node.memory > 0) limits.memory = node.memory / 10 * 9;
  return limits;
}

constexpr std::size_t kLongestMessage = 4096;  // Kubernetes' limit for termination messages

// The number of the newest attempt folder; -1 when there is none.
int newest_attempt(const std::string& container) {
  int newest = -1;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(container, error)) {
    const std::string name = entry.path().filename().string();
    int number = -1;
    const auto end = name.data() + name.size();
    if (std::from_chars(name.data(), end, number).ptr == end) newest = std::max(newest, number);
  }
  return newest;
}

std::string read_message(const std::string& path) {
  std::ifstream file(path);
  std::string text(kLongestMessage, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// Logs and exit stay; what the container wrote elsewhere goes. Of earlier attempts the last one keeps its log.
Status remove_scratch(const std::string& folder, const std::string& container, int attempt) {
  std::vector<std::string> over;
  for (const char* name : {"/tmp", "/var-tmp", "/home", "/mnt"}) over.push_back(folder + name);
  if (attempt >= 2) over.push_back(container + "/" + std::to_string(attempt - 2));
  return remove_trees(over);
}

}  // namespace

// By this agent or, as the folders tell, by one before it.
bool PodRunner::has_begun() const {
  return std::ranges::any_of(slots_, [this](const Slot& slot) {
    if (slot.process != nullptr || !slot.record.id.empty()) return true;
    std::error_code ignored;
    const int newest = newest_attempt(folders_.container(slot.view.name));
    return newest > 0 || fs::exists(attempt_folder(slot, 0) + "/shim.json", ignored);
  });
}

// True when the slot has a process to follow, running or already ended. False when the pod is to stop first.
Task<bool> PodRunner::open_attempt(Slot& slot) {
  if (const int newest = newest_attempt(folders_.container(slot.view.name)); newest > slot.attempt) {
    slot.attempt = newest;
    slot.record.restarts = newest;
  }
  slot.process = ContainerProcess::adopt(services_.executor, attempt_folder(slot, slot.attempt));
  int failures = 0;
  while (slot.process == nullptr && !kill_at_) {
    auto started = co_await start_attempt(slot);
    if (started) {
      slot.process = std::move(*started);
      break;
    }
    if (kill_at_) break;
    const bool image = started.error().field == "image";
    const std::string reason = !image          ? "CreateContainerConfigError"
                               : failures == 0 ? "ErrImagePull"
                                               : "ImagePullBackOff";
    services_.api.publish_event(pod_id(pod_), true, "Failed", started.error().message);
    wait_with(slot, reason, started.error().message);
    report();
    co_await pause(std::chrono::seconds(std::min(2 << std::min(failures, 6), 120)));
    ++failures;
  }
  if (slot.process == nullptr) {
    co_await tidy(slot);
    co_return false;
  }
  if (kill_at_) slot.process->terminate();
  co_return true;
}

Task<Result<EnvObjects>> PodRunner::fetch_env_objects(const ContainerView& container) {
  EnvObjects objects;
  const EnvObjectNames names = env_object_names(container);
  for (const std::string& name : names.config_maps) {
    auto content = co_await services_.api.config_map(pod_.ns, name);
    if (content) {
      objects.config_maps.emplace(name, std::move(*content));
    } else if (content.error().code != ErrorCode::kNotFound) {
      co_return std::unexpected(content.error());
    }
  }
  for (const std::string& name : names.secrets) {
    auto content = co_await services_.api.secret(pod_.ns, name);
    if (content) {
      objects.secrets.emplace(name, std::move(*content));
    } else if (content.error().code != ErrorCode::kNotFound) {
      co_return std::unexpected(content.error());
    }
  }
  co_return objects;
}

Result<std::vector<Gpu>> PodRunner::take_gpus(const Slot& slot) {
  const std::int64_t wanted = std::max(slot.view.limits.gpus, slot.view.requests.gpus);
  if (wanted == 0) return std::vector<Gpu>();
  return services_.gpus.take(group_id(slot), wanted);
}

Task<Result<std::unique_ptr<ContainerProcess>>> PodRunner::start_attempt(Slot& slot) {
  auto image = services_.images.find(slot.view.image);
  if (!image) co_return fail(image.error().code, image.error().message, "image");
  const auto objects = co_await fetch_env_objects(slot.view);
  DET_CO_TRY(objects);
  const std::string folder = attempt_folder(slot, slot.attempt);
  const HostLayout host = co_await look_at_host();
  auto gpus = take_gpus(slot);
  DET_CO_TRY(gpus);
  // With copies of what may change meanwhile: a pod may have a megabyte of words that name each other.
  auto work = [&, pod = pod_, view = slot.view, volumes = volumes_] {
    return plan_sandbox({pod, view, services_.node, host, *objects, volumes, *image, folder, *gpus});
  };
  auto plan = co_await run_on(services_.pool, work);
  DET_CO_TRY(plan);
  auto enter = [&] { return make_entries(plan->entries); };  // in volumes, some of which a hung server may have
  DET_CO_TRY(co_await run_on(services_.looks, enter));
  auto prepare = [&]() -> Result<std::vector<std::string>> {
    DET_TRY(prepare_scratch(folder));
    return services_.cgroups.create(group_id(slot), limits_of(slot.view, services_.node),
                                    most_processes(services_.node));
  };
  auto procs = co_await run_on(services_.pool, prepare);
  DET_CO_TRY(procs);
  ShimSpec spec{.folder = folder,
                .bwrap = services_.bwrap,
                .overlays = std::move(plan->overlays),
                .staged = std::move(plan->staged),
                .arguments = std::move(plan->arguments),
                .command = std::move(plan->command),
                .cgroup_procs = std::move(*procs),
                .data_limit = {}};
  if (!services_.cgroups.limits_processes()) spec.process_limit = most_processes(services_.node);
  if (!services_.cgroups.limits_memory()) spec.data_limit = slot.view.limits.memory;
  co_await wait_while_held();
  // The last moment: nothing is awaited from here to the start.
  if (kill_at_) co_return fail(ErrorCode::kCanceled, "the pod is to stop");
  slot.host = host;
  co_return ContainerProcess::start(services_.executor, services_.shim_command, spec);
}

// False when no sandbox could be made and another attempt may succeed: nothing of the container has run.
Task<bool> PodRunner::follow(Slot& slot) {
  slot.record.ended.reset();
  slot.record.id = "sandbox://" + group_id(slot) + "-" + std::to_string(slot.attempt);
  // One that was taken over may have ended meanwhile; that it ended may have been told already.
  if (co_await slot.process->wait_started() && slot.process->is_alive()) {
    slot.record.state = State::kRunning;
    slot.record.started_at = slot.process->started_at();
    report();
  }
  const ContainerExit exit = co_await slot.process->wait_exit();
  if (exit.is_start_error && co_await has_host_changed(slot)) {
    co_await forget_attempt(slot, exit.error);
    co_return false;
  }
  slot.record.ended = co_await termination_of(slot, exit);
  slot.record.state = State::kTerminated;
  slot.process.reset();
  slot.record.is_final = !wants_restart(slot);
  report();
  co_await tidy(slot);
  co_return true;
}

// A file that was to be hidden goes between the look at the machine and the sandbox, a folder becomes a link: what is
// planned cannot be made then, and that is not the program's fault.
Task<bool> PodRunner::has_host_changed(const Slot& slot) {
  if (!slot.host || kill_at_) co_return false;  // of a process that was taken over nothing is known
  const HostLayout now = co_await look_at_host();
  co_return now != *slot.host;
}

// As if it had not been: restarts are counted by their folders.
Task<void> PodRunner::forget_attempt(Slot& slot, std::string why) {
  log_.warn("a sandbox is made again, because the machine changed meanwhile", {{"error", why}});
  slot.process.reset();
  slot.record.id.clear();
  slot.record.started_at.reset();
  wait_with(slot, "CreateContainerError", why);
  report();
  co_await tidy(slot);
  auto work = [folder = attempt_folder(slot, slot.attempt)] { return remove_trees({folder}); };
  const Status removed = co_await run_on(services_.pool, work);
  if (!removed) log_.warn("files of a container were not removed", {{"error", removed.error().message}});
  co_await pause(std::chrono::seconds(1));
}

Task<Termination> PodRunner::termination_of(Slot& slot, ContainerExit exit) {
  Termination end;
  end.exit_code = exit.exit_code;
  end.started_at = slot.process->started_at();
  end.finished_at = exit.finished_at;
  end.container_id = slot.record.id;
  end.message = exit.error;
  end.reason = exit.exit_code == 0 ? "Completed" : "Error";
  if (exit.is_start_error) {
    end.reason = "StartError";
  } else if (!exit.error.empty()) {
    end.reason = "ContainerStatusUnknown";
    end.finished_at.reset();
  } else if (services_.cgroups.was_out_of_memory(group_id(slot))) {
    end.reason = "OOMKilled";
  }
  const std::string path = attempt_folder(slot, slot.attempt) + "/termination-log";
  auto read = [&] { return read_message(path); };
  if (end.message.empty()) end.message = co_await run_on(services_.pool, read);
  co_return end;
}

Task<void> PodRunner::tidy(Slot& slot) {
  services_.cgroups.remove(group_id(slot));
  services_.gpus.give_back(group_id(slot));
  const std::string container = folders_.container(slot.view.name);
  const std::string folder = attempt_folder(slot, slot.attempt);
  const int attempt = slot.attempt;
  auto work = [&] { return remove_scratch(folder, container, attempt); };
  const Status removed = co_await run_on(services_.pool, work);
  if (!removed) log_.warn("files of a container were not removed", {{"error", removed.error().message}});
}

}  // namespace det::local
