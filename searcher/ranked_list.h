#pragma once

// The results of one rung, in the order of their metric, smallest first: insertion tells the rank, any rank can be
// looked at. Kept in blocks of a few kilobytes with a Fenwick tree (P. Fenwick, 1994) over their sizes, so that a
// million results cost about as much each as a thousand. A value; pure.

#include <cstddef>
#include <cstdint>
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

  // The entry of `rank` < size(); the caller may mark it, not change its metric.
  [[nodiscard]] Ranked& at(std::size_t rank);
  // Removes the best entry of `trial`; false when there is none. Looks at every entry.
  bool erase_first(TrialNumber trial);

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Block& block : blocks_) {
      for (const Ranked& entry : block) visit(entry);
    }
  }

 private:
  using Block = std::vector<Ranked>;

  std::size_t insert_at(std::size_t block, std::size_t offset, Ranked entry);
  void split(std::size_t block);
  [[nodiscard]] std::size_t entries_before(std::size_t block) const;
  void recount();

  std::vector<Block> blocks_;          // none is empty
  std::vector<double> worst_;          // of each block: the metric of its last entry
  std::vector<std::uint32_t> counts_;  // Fenwick tree over the blocks' sizes, from 1
  std::size_t size_ = 0;
};

}  // namespace det::searcher
