#include "searcher/ranked_list.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace det::searcher {
namespace {

// How many of the first `size` metrics, which are sorted, come before the first that is not `before`. Without branches
// that depend on the metrics: which way they go cannot be foreseen.
template <typename IsBefore>
std::size_t count_before(const double* metrics, std::size_t size, IsBefore is_before) {
  const double* from = metrics;
  while (size > 0) {
    const std::size_t half = (size + 1) / 2;
    from += is_before(from[half - 1]) ? half : 0;
    size -= half;
  }
  return static_cast<std::size_t>(from - metrics);
}

// Asks for `size` values at once: in a list of millions a search would wait for one after the other.
template <typename T>
void fetch(const T* values, std::size_t size) {
  constexpr std::size_t kCacheLine = 64 / sizeof(T);
  for (std::size_t i = 0; i < size; i += kCacheLine) __builtin_prefetch(values + i);
}

}  // namespace

std::size_t RankedList::entries_before(std::size_t block) const {
  const auto group = static_cast<std::ptrdiff_t>(block / kGroupSize);
  const auto first = sizes_.begin() + group * static_cast<std::ptrdiff_t>(kGroupSize);
  const std::size_t before = std::accumulate(groups_.begin(), groups_.begin() + group, std::size_t{0});
  return before + std::accumulate(first, sizes_.begin() + static_cast<std::ptrdiff_t>(block), std::uint32_t{0});
}

// Of the groups from that of block `from` on.
void RankedList::recount(std::size_t from) {
  groups_.resize((sizes_.size() + kGroupSize - 1) / kGroupSize);
  for (std::size_t group = from / kGroupSize; group < groups_.size(); ++group) {
    const auto begin = sizes_.begin() + static_cast<std::ptrdiff_t>(group * kGroupSize);
    const auto count = std::min<std::ptrdiff_t>(kGroupSize, sizes_.end() - begin);
    groups_[group] = std::accumulate(begin, begin + count, std::uint32_t{0});
  }
}

void RankedList::split(std::size_t block) {
  constexpr std::size_t kHalf = kBlockSize / 2;
  const auto at = static_cast<std::ptrdiff_t>(block);
  auto upper = std::make_unique_for_overwrite<Block>();
  const Block& full = *blocks_[block];
  std::copy(full.metrics.begin() + kHalf, full.metrics.end(), upper->metrics.begin());
  std::copy(full.owners.begin() + kHalf, full.owners.end(), upper->owners.begin());
  worst_.insert(worst_.begin() + at, full.metrics[kHalf - 1]);
  blocks_.insert(blocks_.begin() + at + 1, std::move(upper));
  sizes_[block] = kHalf;
  sizes_.insert(sizes_.begin() + at + 1, kBlockSize - kHalf);
  recount(block);
}

std::size_t RankedList::insert_at(Position position, Ranked entry) {
  const auto [block, offset] = position;
  const std::size_t rank = entries_before(block) + offset;
  Block& entries = *blocks_[block];
  const std::size_t size = sizes_[block];
  std::copy_backward(&entries.metrics[offset], &entries.metrics[size], &entries.metrics[size] + 1);
  std::copy_backward(&entries.owners[offset], &entries.owners[size], &entries.owners[size] + 1);
  entries.metrics[offset] = entry.metric;
  entries.owners[offset] = owner_of(entry);
  worst_[block] = entries.metrics[size];
  ++sizes_[block];
  ++groups_[block / kGroupSize];
  ++size_;
  if (sizes_[block] == kBlockSize) split(block);
  return rank;
}

template <typename IsBefore>
std::size_t RankedList::insert(Ranked entry, IsBefore is_before) {
  if (blocks_.empty()) {
    append(entry);
    return 0;
  }
  const std::size_t block = std::min(count_before(worst_.data(), worst_.size(), is_before), blocks_.size() - 1);
  const double* metrics = blocks_[block]->metrics.data();
  fetch(metrics, sizes_[block]);
  fetch(blocks_[block]->owners.data(), sizes_[block]);
  return insert_at({.block = block, .offset = count_before(metrics, sizes_[block], is_before)}, entry);
}

std::size_t RankedList::insert_before_equals(Ranked entry) {
  return insert(entry, [metric = entry.metric](double each) { return each < metric; });
}

std::size_t RankedList::insert_behind_equals(Ranked entry) {
  return insert(entry, [metric = entry.metric](double each) { return each <= metric; });
}

void RankedList::append(Ranked entry) {
  if (blocks_.empty()) {
    blocks_.push_back(std::make_unique_for_overwrite<Block>());
    worst_.push_back(entry.metric);
    sizes_.push_back(0);
    recount(0);
  }
  insert_at({.block = blocks_.size() - 1, .offset = sizes_.back()}, entry);
}

RankedList::Position RankedList::position_of(std::size_t rank) const {
  DET_CHECK(rank < size_, "there is no entry of this rank");
  std::size_t group = 0;
  for (; rank >= groups_[group]; ++group) rank -= groups_[group];
  std::size_t block = group * kGroupSize;
  for (; rank >= sizes_[block]; ++block) rank -= sizes_[block];
  return {.block = block, .offset = rank};
}

Ranked RankedList::at(std::size_t rank) const {
  const auto [block, offset] = position_of(rank);
  return blocks_[block]->at(offset);
}

void RankedList::set_promoted(std::size_t rank, bool is_promoted) {
  const auto [block, offset] = position_of(rank);
  Ranked entry = blocks_[block]->at(offset);
  entry.is_promoted = is_promoted;
  blocks_[block]->owners[offset] = owner_of(entry);
}

bool RankedList::erase_first(TrialNumber trial) {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    Block& entries = *blocks_[block];
    const std::size_t size = sizes_[block];
    const auto end = entries.owners.begin() + static_cast<std::ptrdiff_t>(size);
    const auto found = std::find_if(entries.owners.begin(), end, [&](Owner each) { return each / 2 == trial; });
    if (found == end) continue;
    const auto offset = found - entries.owners.begin();
    std::copy(entries.metrics.begin() + offset + 1, entries.metrics.begin() + static_cast<std::ptrdiff_t>(size),
              entries.metrics.begin() + offset);
    std::copy(found + 1, end, found);
    --size_;
    const auto at = static_cast<std::ptrdiff_t>(block);
    if (--sizes_[block] == 0) {
      blocks_.erase(blocks_.begin() + at);
      worst_.erase(worst_.begin() + at);
      sizes_.erase(sizes_.begin() + at);
    } else {
      worst_[block] = entries.metrics[size - 2];
    }
    recount(block);
    return true;
  }
  return false;
}

}  // namespace det::searcher
