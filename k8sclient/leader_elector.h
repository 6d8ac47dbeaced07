#pragma once

// One Lease, one leader. The same identity takes its own lease back at once (a restarted single replica does not wait
// for its own corpse); another identity takes it when it was not renewed for `lease_duration` as seen on our own clock.
// Belongs to the io thread.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "k8sclient/client.h"

namespace det::k8s {

struct LeaderElectionOptions {
  ObjectKey lease;
  std::string identity;
  std::chrono::milliseconds lease_duration{15'000};
  std::chrono::milliseconds renew_deadline{10'000};
  std::chrono::milliseconds retry_period{2'000};
};

class LeaderElector {
 public:
  LeaderElector(Client& client, Clock& clock, asio::any_io_executor executor, LeaderElectionOptions options);

  // Competes for ever. Each time leadership is gained, `lead` runs; when the lease could not be renewed within
  // renew_deadline, `lead` is cancelled and awaited before competing again. A `lead` that returns keeps the lease. On
  // cancellation the lease is released (holder emptied) when held, after `lead` has unwound.
  Task<void> run(std::function<Task<void>()> lead);
  [[nodiscard]] bool is_leader() const { return leader_; }

 private:
  // The Lease as it was read last.
  struct Held {
    std::string holder;
    std::string resource_version;
    std::string acquired;
    std::int64_t transitions = 0;
  };

  Task<void> compete(std::function<Task<void>()> lead);
  // Leads until the lease is lost; on return `lead` has unwound.
  Task<void> hold(Task<void> lead);
  Task<void> lead_for_ever(Task<void> lead);
  Task<void> renew_until_lost();
  // Reads the lease and takes or renews it when that is ours to do. False: another holds it, or was faster.
  Task<Result<bool>> try_acquire();
  Task<Result<bool>> write(std::optional<Held> held);
  Task<Status> release();
  // Whether the holder has not been heard of for lease_duration; notes what is seen now.
  bool is_expired(const Held& held);

  Client& client_;
  Clock& clock_;
  LeaderElectionOptions options_;
  Logger log_;
  Signal never_;
  bool leader_ = false;
  SteadyTime renewed_at_{};
  std::string held_version_;  // of the Lease as we wrote it last
  std::string observed_record_;
  SteadyTime observed_at_{};
};

}  // namespace det::k8s
