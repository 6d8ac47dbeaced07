#include "tests/simulation/faults.h"

#include <array>
#include <sstream>
#include <utility>

namespace det::simulation {
namespace {

constexpr std::array<std::pair<FaultKind, const char*>, 16> kNames{{
    {FaultKind::kNone, "none"},
    {FaultKind::kRequestLost, "request-lost"},
    {FaultKind::kAnswerLost, "answer-lost"},
    {FaultKind::kConflict, "409"},
    {FaultKind::kExpired, "410"},
    {FaultKind::kTooMany, "429"},
    {FaultKind::kBroken, "500"},
    {FaultKind::kBusy, "503"},
    {FaultKind::kWatchCut, "watch-cut"},
    {FaultKind::kConnectionLost, "connection-lost"},
    {FaultKind::kDatabaseAway, "database-away"},
    {FaultKind::kCommitUnheard, "commit-unheard"},
    {FaultKind::kAwayAfterCommit, "away-after-commit"},
    {FaultKind::kKilledBefore, "killed-before"},
    {FaultKind::kKilledAfter, "killed-after"},
    {FaultKind::kSecondLeader, "second-leader"},
}};

}  // namespace

const char* to_string(FaultKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "?";
}

std::string to_string(const Fault& fault) {
  if (fault.at == 0) return "none";
  return std::string(fault.place == Place::kApi ? "api" : "database") + ":" + std::to_string(fault.at) + ":" +
         to_string(fault.kind);
}

std::optional<Fault> parse_fault(const std::string& text) {
  std::istringstream parts(text);
  std::string place;
  std::string at;
  std::string kind;
  if (!std::getline(parts, place, ':') || !std::getline(parts, at, ':') || !std::getline(parts, kind)) return {};
  if ((place != "api" && place != "database") || at.empty() || at.find_first_not_of("0123456789") != std::string::npos)
    return {};
  for (const auto& [known, name] : kNames) {
    if (kind != name) continue;
    return Fault{.place = place == "api" ? Place::kApi : Place::kDatabase, .at = std::stoi(at), .kind = known};
  }
  return {};
}

std::vector<FaultKind> applicable(const Call& call) {
  std::vector<FaultKind> kinds;
  if (call.place == Place::kDatabase) {
    kinds = {FaultKind::kConnectionLost, FaultKind::kDatabaseAway, FaultKind::kCommitUnheard,
             FaultKind::kAwayAfterCommit};
  } else {
    const bool is_get = call.what.starts_with("GET");
    kinds = {FaultKind::kRequestLost, FaultKind::kTooMany, FaultKind::kBroken, FaultKind::kBusy};
    if (call.is_stream) {
      kinds.push_back(FaultKind::kWatchCut);
    } else {
      kinds.push_back(FaultKind::kAnswerLost);
    }
    if (is_get && (call.is_stream || call.what.contains("limit="))) kinds.push_back(FaultKind::kExpired);
    // A create is refused as a conflict only where the object exists, and then without any fault.
    if (!is_get && !call.what.starts_with("POST")) kinds.push_back(FaultKind::kConflict);
  }
  kinds.push_back(FaultKind::kKilledBefore);
  if (!call.is_stream) kinds.push_back(FaultKind::kKilledAfter);
  if (!call.is_stream) kinds.push_back(FaultKind::kSecondLeader);
  return kinds;
}

}  // namespace det::simulation
