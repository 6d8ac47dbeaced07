#pragma once

// The results of one rung, in the order of their metric, smallest first: insertion tells the rank, any rank can be
// looked at. Kept in blocks of a few kilobytes, whose sizes are summed up in groups, so that a million results cost
// about as much each as a thousand. A value; pure.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "searcher/trial_books.h"

namespace det::searcher {

struct Ranked {
  double metric = 0;  // smaller is better; never NaN
  TrialNumber trial = 0;
  bool is_promoted = false;

  bool operator==(const Ranked&) const = default;
};

class RankedList {
 public:
  [[nodiscard]] std::size_t size() const { return size_; }

  // Before its equals: of two trials with one metric the later ranks better. Returns the rank, from 0.
  std::size_t insert_before_equals(Ranked entry);
  // Behind its equals: the earlier ranks better.
  std::size_t insert_behind_equals(Ranked entry);
  // At the end, whatever its metric. Only for lists that are not inserted into otherwise, or for an entry that belongs
  // there.
  void append(Ranked entry);

  // The entry of `rank` < size().
  [[nodiscard]] Ranked at(std::size_t rank) const;
  void set_promoted(std::size_t rank, bool is_promoted);
  // Removes the best entry of `trial`; false when there is none. Looks at every entry.
  bool erase_first(TrialNumber trial);

  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (std::size_t i = 0; i < sizes_[block]; ++i) visit(blocks_[block]->at(i));
    }
  }

 private:
  static constexpr std::size_t kBlockSize = 128;
  static constexpr std::size_t kGroupSize = 64;

  // A trial's number, doubled, and one more when it is promoted.
  using Owner = std::uint32_t;
  // The metrics apart from their owners: they are what is searched.
  struct Block {
    std::array<double, kBlockSize> metrics;
    std::array<Owner, kBlockSize> owners;

    [[nodiscard]] Ranked at(std::size_t offset) const {
      return {.metric = metrics[offset], .trial = owners[offset] / 2, .is_promoted = owners[offset] % 2 != 0};
    }
  };
  [[nodiscard]] static Owner owner_of(const Ranked& entry) { return 2 * entry.trial + (entry.is_promoted ? 1 : 0); }
  struct Position {
    std::size_t block;
    std::size_t offset;
  };

  template <typename IsBefore>
  std::size_t insert(Ranked entry, IsBefore is_before);
  std::size_t insert_at(Position position, Ranked entry);
  void split(std::size_t block);
  [[nodiscard]] std::size_t entries_before(std::size_t block) const;
  [[nodiscard]] Position position_of(std::size_t rank) const;
  void recount(std::size_t from);

  // By block; none is empty.
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<double> worst_;  // the metric of its last entry
  std::vector<std::uint32_t> sizes_;
  // The sums of the sizes of the first kGroupSize blocks, of the next, ...
  std::vector<std::uint64_t> groups_;
  std::size_t size_ = 0;
};

}  // namespace det::searcher
