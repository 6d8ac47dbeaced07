#pragma once

// The books that a search keeps on its trials: a small number for each request id, and per trial what became of it.
// Methods keep their own state in arrays by that number. Numbers are an affair of one Search object: they are in no
// snapshot. A value; pure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "searcher/request_id.h"

namespace det::searcher {

using TrialNumber = std::uint32_t;  // 0, 1, 2, ... in the order of their entry

enum class Mark : std::uint8_t {
  kCreated,   // TrialCreated was told
  kClosed,    // Exited was told
  kExited,    // ExitedEarly was told
  kCanceled,  // ... because a user wanted it
  kFailed,    // ... with an error
  kStopped,   // the search decided Stop
};

class TrialBooks {
 public:
  TrialBooks();

  // The number of `id`, which is entered when it is new.
  TrialNumber enter(RequestId id);
  [[nodiscard]] std::optional<TrialNumber> find(RequestId id) const {
    const TrialNumber trial = slots_[slot_of(id)].trial;
    return trial == kFree ? std::nullopt : std::optional(trial);
  }
  // Makes a later enter(id) quicker: in books of a million trials its slot is far away in memory.
  void expect(RequestId id) const { __builtin_prefetch(&slots_[hash_of(id) & (slots_.size() - 1)]); }
  [[nodiscard]] RequestId id(TrialNumber trial) const { return trials_[trial].id; }
  [[nodiscard]] std::string name(TrialNumber trial) const { return to_string(id(trial)); }
  // Numbers are below it.
  [[nodiscard]] TrialNumber size() const { return static_cast<TrialNumber>(trials_.size()); }

  void set(TrialNumber trial, Mark mark);
  [[nodiscard]] bool has(TrialNumber trial, Mark mark) const { return (trials_[trial].marks & bit(mark)) != 0; }
  // How many trials have the mark.
  [[nodiscard]] std::int64_t count(Mark mark) const { return counts_[static_cast<std::size_t>(mark)]; }

  // A trial's own progress, as it was reported; trials without one do not count towards the search's.
  void set_progress(TrialNumber trial, double progress);
  void drop_progress(TrialNumber trial);
  [[nodiscard]] std::optional<double> progress(TrialNumber trial) const;
  [[nodiscard]] std::int64_t progress_count() const { return progress_count_; }

 private:
  struct Trial {
    RequestId id;
    double progress = 0;
    std::uint8_t marks = 0;
    bool has_progress = false;
  };
  static constexpr TrialNumber kFree = std::numeric_limits<TrialNumber>::max();
  // The tag, part of the hash, tells most other trials apart without a look at them, which are far away in memory.
  struct Slot {
    TrialNumber trial = kFree;
    std::uint32_t tag = 0;
  };
  static constexpr std::uint32_t tag_of(std::size_t hash) { return static_cast<std::uint32_t>(hash >> 32U); }
  static constexpr std::uint8_t bit(Mark mark) { return static_cast<std::uint8_t>(1U << static_cast<unsigned>(mark)); }
  // The slot that holds `id`, or the free one where it belongs.
  [[nodiscard]] std::size_t slot_of(RequestId id) const {
    const std::size_t mask = slots_.size() - 1;
    const std::size_t hash = hash_of(id);
    std::size_t slot = hash & mask;
    while (slots_[slot].trial != kFree && (slots_[slot].tag != tag_of(hash) || trials_[slots_[slot].trial].id != id)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }
  void grow();

  std::vector<Trial> trials_;
  std::vector<Slot> slots_;  // open addressing, a power of two of them, at most half full
  std::array<std::int64_t, 6> counts_{};
  std::int64_t progress_count_ = 0;
};

}  // namespace det::searcher
