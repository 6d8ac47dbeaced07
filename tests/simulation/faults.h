#pragma once

// One fault at one external call of the operator, and what a call was, so that the faults that apply to it are known.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace det::simulation {

enum class Place : std::uint8_t { kApi, kDatabase };

enum class FaultKind : std::uint8_t {
  kNone,
  // Of calls to the Kubernetes API.
  kRequestLost,
  kAnswerLost,  // done, and nobody hears of it
  kConflict,    // 409
  kExpired,     // 410
  kTooMany,     // 429
  kBroken,      // 500
  kBusy,        // 503
  kWatchCut,    // after the first bytes
  // Of transactions.
  kConnectionLost,  // before the commit; the next attempt finds a database
  kDatabaseAway,    // the same, and for some seconds nobody answers
  kCommitUnheard,   // committed, and nobody hears of it
  kAwayAfterCommit,
  // Of both: the operator is destroyed, and built anew a little later.
  kKilledBefore,
  kKilledAfter,
  // The call takes so long that another operator has become the leader when it is done.
  kSecondLeader,
};

struct Fault {
  Place place = Place::kApi;
  int at = 0;  // the n-th call there, from 1; 0: never
  FaultKind kind = FaultKind::kNone;

  bool operator==(const Fault&) const = default;
};

// A call that the operator made.
struct Call {
  Place place = Place::kApi;
  std::string what;  // "PATCH /api/v1/...", "find trial"
  bool is_stream = false;

  bool operator==(const Call&) const = default;
};

[[nodiscard]] const char* to_string(FaultKind kind);
// "api 12 request lost".
[[nodiscard]] std::string to_string(const Fault& fault);
// What to_string of a fault has written; nothing: something else.
[[nodiscard]] std::optional<Fault> parse_fault(const std::string& text);
// Every kind that can befall this call.
[[nodiscard]] std::vector<FaultKind> applicable(const Call& call);

}  // namespace det::simulation
