#pragma once

// How a run ended: the verdict that decides what becomes of its trial. Pure value.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace det::model {

enum class ExitClass : std::uint8_t {
  kSuccess,
  kUserError,       // the program failed: counts as a restart
  kInfrastructure,  // eviction, node loss, a pod that vanished: never counts against max_restarts
  kInvalidPod,      // no node can ever run such a pod: another try is no use
  kStopped,         // the operator ended it on somebody's behalf (pause, kill, limits): counts as nothing
};

struct RunExit {
  ExitClass kind = ExitClass::kSuccess;
  std::optional<int> code;
  std::string reason;      // CamelCase: Completed, NonZeroExit, OOMKilled, Evicted, PodVanished, InitFailed...
  std::string message;     // for people; names the pod
  bool never_ran = false;  // withdrawn while it still waited: nothing of the program is lost with its pods

  bool operator==(const RunExit&) const = default;
};

// The word of the database: "USER_ERROR".
[[nodiscard]] std::string_view to_string(ExitClass kind);
// Nothing for an unknown word.
[[nodiscard]] std::optional<ExitClass> parse_exit_class(std::string_view word);

}  // namespace det::model
