#include "k8sclient/leader_elector.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/json_get.h"
#include "base/race.h"

namespace det::k8s {
namespace {

using nlohmann::json;

constexpr std::chrono::seconds kReleaseWithin{3};
constexpr int kAttempts = 2;  // to renew, that hang, before the lease is given up; as kube-controller-manager has it

}  // namespace

LeaderElector::LeaderElector(Client& client, Clock& clock, asio::any_io_executor executor,
                             LeaderElectionOptions options)
    : client_(client),
      clock_(clock),
      options_(std::move(options)),
      log_(Logger("leader").with({"lease", to_string(options_.lease)}).with({"identity", options_.identity})),
      never_(std::move(executor)) {}

Task<void> LeaderElector::run(std::function<Task<void>()> lead) {
  auto work = compete(std::move(lead));
  const std::exception_ptr ended = co_await outcome_of(std::move(work));
  if (leader_) {
    leader_ = false;
    // The cancellation that ended the work must not end the release too.
    co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
    auto releasing = release();
    const Status released = co_await std::move(releasing);
    if (!released) log_.warn("could not release the lease", {{"error", released.error().message}});
  }
  if (ended) std::rethrow_exception(ended);
}

Task<void> LeaderElector::compete(std::function<Task<void>()> lead) {
  for (;;) {
    auto attempt = try_acquire();
    const auto acquired = co_await with_deadline(clock_, options_.renew_deadline, std::move(attempt));
    if (acquired && *acquired) {
      leader_ = true;
      log_.info("became leader");
      auto leading = lead();
      co_await hold(std::move(leading));
      log_.warn("lost leadership");
    } else if (!acquired && acquired.error().code != ErrorCode::kAborted) {
      log_.warn("could not read or take the lease", {{"error", acquired.error().message}});
    }
    co_await clock_.sleep_for(options_.retry_period);
  }
}

Task<void> LeaderElector::hold(Task<void> lead) {
  auto leading = lead_for_ever(std::move(lead));
  auto renewing = renew_until_lost();
  co_await first_of(std::move(leading), std::move(renewing));
}

Task<void> LeaderElector::lead_for_ever(Task<void> lead) {
  co_await std::move(lead);
  for (;;) {
    const auto seen = never_.version();
    co_await never_.wait(seen, std::chrono::hours(24));
  }
}

Task<void> LeaderElector::renew_until_lost() {
  SteadyTime next = clock_.steady_now() + options_.retry_period;
  for (;;) {
    const std::chrono::nanoseconds until_next =
        std::min(next, renewed_at_ + options_.renew_deadline) - clock_.steady_now();
    co_await clock_.sleep_for(std::max(until_next, std::chrono::nanoseconds::zero()));
    const SteadyTime now = clock_.steady_now();
    next = now + options_.retry_period;
    const std::chrono::nanoseconds left = renewed_at_ + options_.renew_deadline - now;
    if (left <= std::chrono::nanoseconds::zero()) break;
    auto attempt = try_acquire();
    // A connection that died without a word must not use up the time that others have.
    const auto patience = std::min<std::chrono::nanoseconds>(left, options_.renew_deadline / kAttempts);
    const auto renewed = co_await with_deadline(clock_, patience, std::move(attempt));
    if (renewed && !*renewed) break;  // another holds it
    if (!renewed) log_.warn("could not renew the lease", {{"error", renewed.error().message}});
  }
  leader_ = false;
}

Task<Result<bool>> LeaderElector::try_acquire() {
  const auto lease = co_await client_.get(leases(), options_.lease);
  if (!lease && lease.error().code == ErrorCode::kNotFound) co_return co_await write(std::nullopt);
  DET_CO_TRY(lease);
  const json& spec = get_object(*lease, "spec");
  Held held{.holder = get_string(spec, "holderIdentity"),
            .resource_version = get_string(get_object(*lease, "metadata"), "resourceVersion"),
            .acquired = get_string(spec, "acquireTime"),
            .transitions = get_integer(spec, "leaseTransitions")};
  const bool expired = is_expired(held);
  const bool free = held.holder.empty() || held.holder == options_.identity;
  if (!free && !expired) co_return false;
  co_return co_await write(std::move(held));
}

bool LeaderElector::is_expired(const Held& held) {
  const SteadyTime now = clock_.steady_now();
  std::string record = held.holder + "@" + held.resource_version;
  if (record != observed_record_) {
    observed_record_ = std::move(record);
    observed_at_ = now;
  }
  return now - observed_at_ >= options_.lease_duration;
}

Task<Result<bool>> LeaderElector::write(std::optional<Held> held) {
  const SteadyTime sent_at = clock_.steady_now();
  const std::string now = format_rfc3339_micros(clock_.wall_now());
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(options_.lease_duration).count();
  const bool renewal = held && held->holder == options_.identity;
  json spec = {{"holderIdentity", options_.identity},
               {"leaseDurationSeconds", std::max<std::int64_t>(seconds, 1)},
               {"renewTime", now},
               {"acquireTime", renewal && !held->acquired.empty() ? held->acquired : now},
               {"leaseTransitions", held ? held->transitions + (renewal ? 0 : 1) : 0}};
  Result<json> written;
  if (held) {
    json patch = {{"metadata", {{"resourceVersion", held->resource_version}}}, {"spec", std::move(spec)}};
    const PatchOptions options;
    written = co_await client_.patch(leases(), options_.lease, std::move(patch), options);
  } else {
    json lease = {{"apiVersion", leases().api_version()},
                  {"kind", leases().kind},
                  {"metadata", {{"name", options_.lease.name}, {"namespace", options_.lease.ns}}},
                  {"spec", std::move(spec)}};
    const WriteOptions options;
    written = co_await client_.create(leases(), options_.lease.ns, std::move(lease), options);
  }
  if (!written && written.error().code == ErrorCode::kAlreadyExists) {
    co_return fail(ErrorCode::kAborted, written.error().message);
  }
  DET_CO_TRY(written);
  renewed_at_ = sent_at;
  held_version_ = get_string(get_object(*written, "metadata"), "resourceVersion");
  co_return true;
}

Task<Status> LeaderElector::release() {
  // The version makes sure that nobody else's lease is emptied. The API server wants a duration above zero.
  json patch = {
      {"metadata", {{"resourceVersion", held_version_}}},
      {"spec",
       {{"holderIdentity", ""}, {"leaseDurationSeconds", 1}, {"renewTime", format_rfc3339_micros(clock_.wall_now())}}}};
  const PatchOptions options;
  auto patching = client_.patch(leases(), options_.lease, std::move(patch), options);
  const auto released = co_await with_deadline(clock_, kReleaseWithin, std::move(patching));
  DET_CO_TRY(released);
  log_.info("released the lease");
  co_return Status();
}

}  // namespace det::k8s
