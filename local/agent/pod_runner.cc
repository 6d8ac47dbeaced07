#include "local/agent/pod_runner.h"

#include <algorithm>
#include <filesystem>

#include "base/race.h"

namespace det::local {
namespace {

using State = ContainerRecord::State;
using std::chrono::seconds;

std::vector<ContainerRecord> records_of(const PodView& pod, const std::vector<ContainerView>& containers) {
  std::vector<ContainerRecord> records;
  for (const ContainerView& container : containers) {
    ContainerRecord record;
    record.name = container.name;
    record.image = container.image;
    record.waiting_reason = pod.init_containers.empty() ? "ContainerCreating" : "PodInitializing";
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace

PodRunner::PodRunner(PodServices& services, PodView pod, PodFolders folders)
    : services_(services),
      pod_(std::move(pod)),
      folders_(std::move(folders)),
      log_(Logger("node-agent").with({"pod", pod_.ns + "/" + pod_.name})),
      reporter_(services.api, services.clock, services.executor, pod_id(pod_)),
      stop_changed_(services.executor) {
  record_.init_containers = records_of(pod_, pod_.init_containers);
  record_.containers = records_of(pod_, pod_.containers);
  record_.started_at = parse_rfc3339(pod_.start_time).value_or(services_.clock.wall_now());
  for (std::size_t i = 0; i < pod_.init_containers.size(); ++i) {
    slots_.push_back({pod_.init_containers[i], record_.init_containers[i], true, 0, nullptr});
  }
  for (std::size_t i = 0; i < pod_.containers.size(); ++i) {
    slots_.push_back({pod_.containers[i], record_.containers[i], false, 0, nullptr});
  }
}

Task<void> PodRunner::run() {
  auto body = [this]() -> Task<void> {
    co_await first_of(work(), stop());
    // A kubelet tells how the containers of a pod ended, and about a second later, when the sandbox has gone, that the
    // pod is over; of a pod that it stopped it tells both at once.
    if (!kill_at_) co_await reporter_.flush();
    close();
    co_await reporter_.flush();
  };
  co_await first_of(body(), reporter_.run());
  log_.info("pod ended", {{"phase", pod_phase(record_)}});
}

Task<void> PodRunner::run_refused(std::string reason, std::string message) {
  record_.is_failed = true;
  record_.reason = std::move(reason);
  record_.message = std::move(message);
  record_.is_initialized = true;  // one that ran, or one of which no containers are known
  services_.api.publish_event(pod_id(pod_), true, record_.reason, record_.message);
  close();
  co_await first_of(reporter_.flush(), reporter_.run());
}

void PodRunner::request_stop(seconds grace, std::string reason, std::string message) {
  const SteadyTime at = services_.clock.steady_now() + grace;
  if (kill_at_ && *kill_at_ <= at) return;
  kill_at_ = at;
  is_held_ = false;
  const bool is_over = std::ranges::all_of(record_.containers, &ContainerRecord::is_final);
  if (!reason.empty() && !is_over) {
    record_.is_failed = true;
    record_.is_disrupted = true;
    record_.reason = std::move(reason);
    record_.message = std::move(message);
  }
  stop_changed_.notify_all();
}

bool PodRunner::hold() {
  if (kill_at_ || record_.is_failed || has_begun()) return false;
  is_held_ = true;
  return true;
}

Task<void> PodRunner::work() {
  if (pod_.start_time.empty()) report();
  if (!co_await make_volumes()) co_return;
  record_.has_sandbox = true;
  for (Slot& slot : slots_) {
    if (!slot.is_init) continue;
    co_await run_container(slot);
    if (!slot.record.ended || slot.record.ended->exit_code != 0) co_return;
  }
  record_.is_initialized = true;
  std::vector<Task<void>> running;
  for (Slot& slot : slots_) {
    if (!slot.is_init) running.push_back(run_container(slot));
  }
  co_await all_of(std::move(running));
}

Task<bool> PodRunner::make_volumes() {
  for (int failures = 0; !kill_at_; ++failures) {
    const HostLayout host = co_await look_at_host();
    auto made = co_await prepare_volumes(pod_, folders_, services_.node, host, services_.api, services_.looks);
    if (made) {
      volumes_ = std::move(*made);
      co_return true;
    }
    services_.api.publish_event(pod_id(pod_), true, "FailedMount", made.error().message);
    for (Slot& slot : slots_) wait_with(slot, "ContainerCreating", made.error().message);
    report();
    co_await pause(seconds(std::min(2 << std::min(failures, 5), 60)));
  }
  co_return false;
}

Task<HostLayout> PodRunner::look_at_host() {
  auto look = [masks = services_.masks] { return read_host_layout(masks); };
  co_return co_await run_on(services_.looks, look);
}

Task<void> PodRunner::run_container(Slot& slot) {
  while (co_await open_attempt(slot)) {
    if (!co_await follow(slot)) continue;
    if (!wants_restart(slot)) break;
    const auto wait = backoff(slot);
    slot.record.ended_before = slot.record.ended;
    ++slot.record.restarts;
    if (wait > seconds(0)) {
      wait_with(slot, "CrashLoopBackOff", "back-off " + std::to_string(wait.count()) + "s restarting failed container");
      report();
      co_await pause(wait);
    }
    ++slot.attempt;
  }
  slot.record.is_final = true;
  report();
}

// What ends containers, beside work(). Never returns by itself.
Task<void> PodRunner::stop() {
  co_await first_of(stop_all(), stop_at_deadline());
}

Task<void> PodRunner::stop_all() {
  for (;;) {
    const auto seen = stop_changed_.version();
    if (!kill_at_) {
      co_await wait_on_clock(stop_changed_, seen, services_.clock, std::chrono::hours(1));
      continue;
    }
    const auto left = *kill_at_ - services_.clock.steady_now();
    for (Slot& slot : slots_) {
      if (slot.process == nullptr) continue;
      if (left > std::chrono::nanoseconds(0)) {
        slot.process->terminate();
      } else {
        slot.process->kill();
      }
    }
    co_await wait_on_clock(stop_changed_, seen, services_.clock, std::max<SteadyTime::duration>(left, seconds(1)));
  }
}

Task<void> PodRunner::stop_at_deadline() {
  if (pod_.deadline_seconds) {
    // Added to a time, a deadline of centuries would lie before it.
    const seconds longest(std::clamp<std::int64_t>(*pod_.deadline_seconds, 0, kLongestSeconds));
    const auto left = record_.started_at + longest - services_.clock.wall_now();
    co_await services_.clock.sleep_for(std::max<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(0)));
    const bool is_over = std::ranges::all_of(record_.containers, &ContainerRecord::is_final);
    if (!kill_at_ && !is_over) {
      record_.is_failed = true;
      record_.reason = "DeadlineExceeded";
      record_.message = "Pod was active on the node longer than the specified deadline";
      services_.api.publish_event(pod_id(pod_), false, record_.reason, record_.message);
      request_stop(seconds(pod_.grace_seconds));
    }
  }
  for (;;) co_await services_.clock.sleep_for(std::chrono::hours(1));
}

Task<void> PodRunner::pause(seconds time) {
  const auto seen = stop_changed_.version();
  if (!kill_at_) co_await wait_on_clock(stop_changed_, seen, services_.clock, time);
}

Task<void> PodRunner::wait_while_held() {
  while (is_held_) {
    const auto seen = stop_changed_.version();
    co_await wait_on_clock(stop_changed_, seen, services_.clock, std::chrono::hours(1));
  }
}

bool PodRunner::wants_restart(const Slot& slot) const {
  if (kill_at_) return false;
  const bool failed = slot.record.ended && slot.record.ended->exit_code != 0;
  switch (pod_.restart_policy) {
    case RestartPolicy::kAlways:
      return failed || !slot.is_init;
    case RestartPolicy::kOnFailure:
      return failed;
    case RestartPolicy::kNever:
      return false;
  }
  return false;
}

// 10 s doubling to 5 min, nothing for the first restart or after ten minutes of running, as kubelet does it.
seconds PodRunner::backoff(const Slot& slot) const {
  const auto& ended = slot.record.ended;
  if (slot.record.restarts == 0) return seconds(0);
  if (ended && ended->started_at && ended->finished_at &&
      *ended->finished_at - *ended->started_at > std::chrono::minutes(10)) {
    return seconds(0);
  }
  return seconds(std::min(10 << std::min(slot.record.restarts - 1, 5), 300));
}

void PodRunner::wait_with(Slot& slot, const std::string& reason, const std::string& message) {
  slot.record.state = State::kWaiting;
  slot.record.waiting_reason = reason;
  slot.record.waiting_message = message;
}

// Of a pod that it stops a kubelet says nothing until all of it has ended.
void PodRunner::report() {
  if (!kill_at_) reporter_.set(pod_status(record_, services_.node, services_.clock.wall_now()));
}

// The last status. A container that is not known to have ended counts as failed; as a kubelet has it, init containers
// that were never reached, and what waits behind them, stay as they are.
void PodRunner::close() {
  const bool is_past_init = record_.is_initialized || record_.init_containers.empty();
  for (Slot& slot : slots_) {
    ContainerRecord& record = slot.record;
    record.is_final = true;
    const bool was_reached =
        slot.is_init ? !is_past_init && (record.restarts > 0 || &slot == &slots_.front()) : is_past_init;
    if (record.state == State::kTerminated || !was_reached) continue;
    record.state = State::kTerminated;
    record.ended = unseen_termination();
  }
  record_.is_over = true;
  reporter_.set(pod_status(record_, services_.node, services_.clock.wall_now()));
}

std::string PodRunner::attempt_folder(const Slot& slot, int attempt) const {
  return folders_.container(slot.view.name) + "/" + std::to_string(attempt);
}

std::string PodRunner::group_id(const Slot& slot) const {
  return pod_.uid + "-" + slot.view.name;
}

}  // namespace det::local
