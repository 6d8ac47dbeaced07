#include "searcher/trial_books.h"

#include <limits>

namespace det::searcher {
namespace {

constexpr TrialNumber kFree = std::numeric_limits<TrialNumber>::max();
constexpr std::size_t kFirstSlots = 64;

}  // namespace

TrialBooks::TrialBooks() : slots_(kFirstSlots, kFree) {}

// The slot that holds `id`, or the free one where it belongs.
std::size_t TrialBooks::slot_of(RequestId id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash_of(id) & mask;
  while (slots_[slot] != kFree && trials_[slots_[slot]].id != id) slot = (slot + 1) & mask;
  return slot;
}

void TrialBooks::grow() {
  slots_.assign(slots_.size() * 2, kFree);
  for (TrialNumber trial = 0; trial < size(); ++trial) slots_[slot_of(trials_[trial].id)] = trial;
}

TrialNumber TrialBooks::enter(RequestId id) {
  std::size_t slot = slot_of(id);
  if (slots_[slot] != kFree) return slots_[slot];
  if (trials_.size() * 2 >= slots_.size()) {
    grow();
    slot = slot_of(id);
  }
  const TrialNumber trial = size();
  slots_[slot] = trial;
  trials_.push_back({.id = id});
  return trial;
}

std::optional<TrialNumber> TrialBooks::find(RequestId id) const {
  const TrialNumber trial = slots_[slot_of(id)];
  return trial == kFree ? std::nullopt : std::optional(trial);
}

void TrialBooks::set(TrialNumber trial, Mark mark) {
  if (has(trial, mark)) return;
  trials_[trial].marks |= bit(mark);
  ++counts_[static_cast<std::size_t>(mark)];
}

void TrialBooks::set_progress(TrialNumber trial, double progress) {
  if (!trials_[trial].has_progress) ++progress_count_;
  trials_[trial].has_progress = true;
  trials_[trial].progress = progress;
}

void TrialBooks::drop_progress(TrialNumber trial) {
  if (trials_[trial].has_progress) --progress_count_;
  trials_[trial].has_progress = false;
}

std::optional<double> TrialBooks::progress(TrialNumber trial) const {
  return trials_[trial].has_progress ? std::optional(trials_[trial].progress) : std::nullopt;
}

}  // namespace det::searcher
