#pragma once

// Re-derives a search from its event log: each event is taken in again, and what is decided now must be what the log
// says was decided then. The operator goes on from there after a restart; `det experiment replay` shows it to people.
// Pure.

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/result.h"
#include "searcher/search.h"

namespace det::searcher {

// One row of the log.
struct LogEntry {
  std::int64_t seq = 0;
  nlohmann::json event;      // of to_json, or what set_aside made
  nlohmann::json decisions;  // of to_json
};

// An entry for input that was not fed to the search: `why`, for people. It is consumed and decides nothing.
[[nodiscard]] nlohmann::json set_aside(const std::string& request_id, const std::string& why);

struct Replayed {
  std::optional<Event> event;  // nothing: it was set aside
  Decisions decisions;
};

class Replay {
 public:
  // `search` has taken in the log up to and with `seq`; it outlives the replay.
  explicit Replay(Search& search, std::int64_t seq = 0) : search_(search), seq_(seq) {}

  // Takes in the next entry. kDataLoss, naming the event, when it is not the next one, when it is no event of this
  // search, and when the log holds other decisions than the search makes of it; reasons, which are words for people,
  // may differ. Neither the replay nor the search must be used then.
  [[nodiscard]] Result<Replayed> take(const LogEntry& entry);

  [[nodiscard]] std::int64_t seq() const { return seq_; }

 private:
  Search& search_;
  std::int64_t seq_;  // of the last entry taken
};

}  // namespace det::searcher
