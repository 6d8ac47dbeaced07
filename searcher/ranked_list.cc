#include "searcher/ranked_list.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/check.h"

namespace det::searcher {
namespace {

constexpr std::size_t kBlockSize = 256;

std::size_t lowest_bit(std::size_t index) {
  return index & (~index + 1);
}

// How many of `entries`, which are sorted, come before the first that is not `before`. Without branches that depend on
// the entries: which way they go cannot be foreseen.
template <typename T, typename Before>
std::size_t count_before(const std::vector<T>& entries, Before before) {
  const T* from = entries.data();
  for (std::size_t size = entries.size(); size > 0;) {
    const std::size_t half = (size + 1) / 2;
    from += before(from[half - 1]) ? half : 0;
    size -= half;
  }
  return static_cast<std::size_t>(from - entries.data());
}

}  // namespace

std::size_t RankedList::entries_before(std::size_t block) const {
  std::size_t sum = 0;
  for (std::size_t i = block; i > 0; i -= lowest_bit(i)) sum += counts_[i];
  return sum;
}

void RankedList::recount() {
  counts_.assign(blocks_.size() + 1, 0);
  for (std::size_t i = 1; i < counts_.size(); ++i) {
    counts_[i] += static_cast<std::uint32_t>(blocks_[i - 1].size());
    const std::size_t parent = i + lowest_bit(i);
    if (parent < counts_.size()) counts_[parent] += counts_[i];
  }
}

void RankedList::split(std::size_t block) {
  Block& full = blocks_[block];
  const auto middle = full.begin() + static_cast<std::ptrdiff_t>(full.size() / 2);
  Block upper;
  upper.reserve(kBlockSize);
  upper.assign(middle, full.end());
  full.erase(middle, full.end());
  const auto at = static_cast<std::ptrdiff_t>(block);
  worst_.insert(worst_.begin() + at, full.back().metric);
  blocks_.insert(blocks_.begin() + at + 1, std::move(upper));
  recount();
}

std::size_t RankedList::insert_at(std::size_t block, std::size_t offset, Ranked entry) {
  if (blocks_.empty()) {
    blocks_.emplace_back();
    worst_.push_back(entry.metric);
    recount();
  }
  const std::size_t rank = entries_before(block) + offset;
  Block& entries = blocks_[block];
  entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(offset), entry);
  worst_[block] = entries.back().metric;
  for (std::size_t i = block + 1; i < counts_.size(); i += lowest_bit(i)) ++counts_[i];
  ++size_;
  if (entries.size() >= kBlockSize) split(block);
  return rank;
}

std::size_t RankedList::insert_before_equals(Ranked entry) {
  if (blocks_.empty()) return insert_at(0, 0, entry);
  const double metric = entry.metric;
  const std::size_t better = count_before(worst_, [metric](double worst) { return worst < metric; });
  const std::size_t block = std::min(better, blocks_.size() - 1);
  const auto is_before = [metric](const Ranked& each) { return each.metric < metric; };
  return insert_at(block, count_before(blocks_[block], is_before), entry);
}

std::size_t RankedList::insert_behind_equals(Ranked entry) {
  if (blocks_.empty()) return insert_at(0, 0, entry);
  const double metric = entry.metric;
  const std::size_t better = count_before(worst_, [metric](double worst) { return worst <= metric; });
  const std::size_t block = std::min(better, blocks_.size() - 1);
  const auto is_before = [metric](const Ranked& each) { return each.metric <= metric; };
  return insert_at(block, count_before(blocks_[block], is_before), entry);
}

void RankedList::append(Ranked entry) {
  if (blocks_.empty()) {
    insert_at(0, 0, entry);
  } else {
    insert_at(blocks_.size() - 1, blocks_.back().size(), entry);
  }
}

Ranked& RankedList::at(std::size_t rank) {
  DET_CHECK(rank < size_, "there is no entry of this rank");
  // Down the tree: the last block before which there are at most `rank` entries.
  std::size_t block = 0;
  for (std::size_t step = std::bit_floor(blocks_.size()); step > 0; step /= 2) {
    if (block + step < counts_.size() && counts_[block + step] <= rank) {
      block += step;
      rank -= counts_[block];
    }
  }
  return blocks_[block][rank];
}

bool RankedList::erase_first(TrialNumber trial) {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    Block& entries = blocks_[block];
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.trial == trial; });
    if (found == entries.end()) continue;
    entries.erase(found);
    --size_;
    const auto at = static_cast<std::ptrdiff_t>(block);
    if (entries.empty()) {
      blocks_.erase(blocks_.begin() + at);
      worst_.erase(worst_.begin() + at);
    } else {
      worst_[block] = entries.back().metric;
    }
    recount();
    return true;
  }
  return false;
}

}  // namespace det::searcher
