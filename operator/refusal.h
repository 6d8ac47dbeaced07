#pragma once

// Why an object is not run, as its conditions tell it; and whose the objects are that people make with kubectl.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <nlohmann/json_fwd.hpp>

#include "accept/submission.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "store/users/user_store.h"

namespace det::op {

// Why an object was not accepted, or what is wrong with it now.
struct Refusal {
  std::string reason;     // InvalidConfig, ConfigPolicy, ContextNotFound, PodRejected, ImmutableFieldChanged...
  std::string message;    // every wrong field, one a line
  bool may_pass = false;  // trying again can help: Accepted is Unknown, not False

  bool operator==(const Refusal&) const = default;
};

// Adds what else is wrong: its reason, and its message, stand below the message of what was known before. Pure.
void add_refusal(std::optional<Refusal>& known, std::optional<Refusal> further);

// The status of an object that has no row yet: `before` is that which it has. Pure.
[[nodiscard]] nlohmann::json refused_status(const nlohmann::json& before, std::int64_t generation,
                                            const Refusal& objection, WallTime now);

// When an object that has this status is to be looked at again, because what it was refused for may have changed
// elsewhere: soon at first, then ever more rarely. One that is edited is looked at anyway. Pure.
[[nodiscard]] std::chrono::seconds refused_pause(const nlohmann::json& status, WallTime now);

// As conditions tell it. Pure.
[[nodiscard]] Refusal condition_of(const accept::Objection& objection);

// Whether a refused pod is no reason against its object: a quota is used up that would take the pod once others are
// over. Its run waits for that in the queue, as those that REST makes do. Pure.
[[nodiscard]] bool waits_for_quota(const accept::Objection& pod_refused);

// Of an object that the REST server made itself and that has no row: its submission failed while the object was on its
// way, or the row is gone. It is nobody's: accepted as a new one it would run with the default owner's tokens. Pure.
[[nodiscard]] Refusal lost_submission();

// Of an accepted object: its spec.config was changed at `fields`, at least one, although they cannot change. `kind`:
// "experiment" or "task". Pure.
[[nodiscard]] Refusal changed_after_acceptance(std::span<const std::string> fields, std::string_view kind);

// Of an object whose acceptance met `error`, which is kUnavailable: a call of the database or of the Kubernetes API
// failed. Which of the two tells whether the database answers now. Pure.
[[nodiscard]] Refusal out_of_reach(const Error& error, bool database_answers);

// Whose they are; a refusal when there is no such user, which may pass. Belongs to the io thread.
Task<Result<std::variant<store::UserRow, Refusal>>> default_owner(store::UserStore& users, std::string username);

}  // namespace det::op
