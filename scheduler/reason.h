#pragma once

// Why a gang waits, as a tree: for programs (codes and numbers) and as one sentence for people. Pure.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace det::scheduler {

enum class ReasonCode : std::uint8_t {
  // Of the gang.
  kDoesNotFit,     // wanted: pods; available: of them that would find room; nodes: of the cluster. Children: per node
  kNeverFits,      // the same, and an empty cluster would not do either
  kNoNodes,        // the cluster has none
  kBehind,         // it fits, but would delay the gang `subject` that came first
  kQuotaExceeded,  // children: kQuota
  kClaimMissing,   // subject: the PersistentVolumeClaim
  kOtherUnbound,   // nodes cannot be read, and another gang is being bound
  kNotTried,       // more gangs wait than one round looks at
  kBackingOff,     // subject: why it was withdrawn
  // Of `nodes` nodes; the first objection of each counts.
  kInsufficient,    // subject: resource; wanted and available (the most that one of them has free)
  kRunsOut,         // they take some; subject: the resource that ends it; wanted: pods, available: those they take
  kReserved,        // they have room, but it is kept for the gang `subject`
  kTaint,           // subject: key=value:effect
  kUnschedulable,   // cordoned
  kNotReady,        //
  kSelector,        // nodeSelector or node affinity; subject: what they ask for
  kVolumeAffinity,  // the volume of claim `subject` is elsewhere
  kAntiAffinity,    // pods that may not be near
  // Of a quota.
  kQuota,  // subject: "name: word"; wanted and available
};

struct WaitReason {
  ReasonCode code = ReasonCode::kDoesNotFit;
  std::string subject;
  std::int64_t nodes = 0;
  std::int64_t wanted = 0;  // thousandths where it is an amount
  std::int64_t available = 0;
  std::vector<WaitReason> children;

  bool operator==(const WaitReason&) const = default;
};

// "GangDoesNotFit", "QuotaExceeded", ...: CamelCase, fit for a condition's reason.
[[nodiscard]] std::string_view to_string(ReasonCode code);
// One sentence, without a full stop.
[[nodiscard]] std::string sentence(const WaitReason& reason);
// {"code", "subject"?, "nodes"?, "wanted"?, "available"?, "message", "children"?}; amounts as Kubernetes writes them.
[[nodiscard]] nlohmann::json to_json(const WaitReason& reason);

}  // namespace det::scheduler
